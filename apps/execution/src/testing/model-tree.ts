import { parentPath } from '@retrace/contracts';

/** One operation of the property specs. */
export interface Wish {
  readonly action:
    'create' | 'write' | 'edit' | 'append' | 'mkdir' | 'remove' | 'rmdir' | 'chmod' | 'symlink' | 'copy' | 'move';
  readonly path: string;
  /** Of a copy or move. */
  readonly to: string;
  readonly overwrite: boolean;
  /** New content; of an edit, what the first `1` becomes. */
  readonly content: string;
  readonly mode: number;
}

export type ModelNode =
  | { readonly kind: 'file'; readonly content: string; readonly mode: number }
  | { readonly kind: 'folder'; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string };

/** What stands at each path. */
export type ModelTree = ReadonlyMap<string, ModelNode>;

export const LINK_TARGET = 'a';

/** What a workspace must look like after a logical operation; `undefined` where it must be refused. */
export function modelOf(tree: ModelTree, wishes: readonly Wish[]): ModelTree | undefined {
  let now: ModelTree | undefined = tree;
  for (const wish of wishes) now = now && afterWish(now, wish);
  return now;
}

function afterWish(tree: ModelTree, wish: Wish): ModelTree | undefined {
  const { path } = wish;
  if (wish.action === 'copy' || wish.action === 'move') return afterTransfer(tree, wish);
  if (!hasParent(tree, path)) return undefined;
  if (wish.action === 'remove' || wish.action === 'rmdir') return afterRemoval(tree, wish);
  const node = nodeAfter(tree.get(path), wish);
  return node && new Map(tree).set(path, node);
}

function nodeAfter(there: ModelNode | undefined, { action, content, mode }: Wish): ModelNode | undefined {
  const file = (text: string, bits = 0o644): ModelNode => ({ kind: 'file', content: text, mode: bits });
  switch (action) {
    case 'create':
      return there ? undefined : file(content);
    case 'write':
      return there?.kind === 'file' ? file(content, there.mode) : there ? undefined : file(content);
    case 'append':
      return there?.kind === 'file' ? file(there.content + content, there.mode) : there ? undefined : file(content);
    case 'edit':
      return there?.kind === 'file' && there.content.split('1').length === 2
        ? file(there.content.replace('1', content), there.mode)
        : undefined;
    case 'mkdir':
      return there ? (there.kind === 'folder' ? there : undefined) : { kind: 'folder', mode: 0o755 };
    case 'chmod':
      return there && there.kind !== 'link' ? { ...there, mode } : undefined;
    case 'symlink':
      return there ? undefined : { kind: 'link', target: LINK_TARGET };
    case 'remove':
    case 'rmdir':
    case 'copy':
    case 'move':
      throw new Error(`${action} leaves another tree, not another node`);
  }
}

function afterRemoval(tree: ModelTree, { action, path }: Wish): ModelTree | undefined {
  const there = tree.get(path);
  if (!there || holdsSomething(tree, path) || (action === 'rmdir' && there.kind !== 'folder')) return undefined;
  return without(tree, path);
}

function afterTransfer(tree: ModelTree, { action, path, to, overwrite }: Wish): ModelTree | undefined {
  const [source, target] = [tree.get(path), tree.get(to)];
  if (path === to || !hasParent(tree, path) || !hasParent(tree, to)) return undefined;
  if (!source || source.kind === 'folder' || target?.kind === 'folder' || (target && !overwrite)) return undefined;
  const copied = new Map(tree).set(to, source);
  return action === 'copy' ? copied : without(copied, path);
}

function hasParent(tree: ModelTree, path: string): boolean {
  const parent = parentPath(path);
  return parent === undefined || tree.get(parent)?.kind === 'folder';
}

const holdsSomething = (tree: ModelTree, path: string): boolean =>
  [...tree.keys()].some((other) => parentPath(other) === path);

function without(tree: ModelTree, path: string): ModelTree {
  const rest = new Map(tree);
  rest.delete(path);
  return rest;
}
