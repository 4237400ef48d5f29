import { parentPath } from '@retrace/contracts';

/** One operation of the property specs. */
export interface Wish {
  readonly action: 'create' | 'write' | 'edit' | 'mkdir' | 'remove';
  readonly path: string;
  /** New content; of an edit, what the first `1` becomes. */
  readonly content: string;
}

/** Path → content of a file, or `null` for a folder. */
export type ModelTree = ReadonlyMap<string, string | null>;

/** What a workspace must look like after a logical operation; `undefined` where it must be refused. */
export function modelOf(tree: ModelTree, wishes: readonly Wish[]): ModelTree | undefined {
  let now: ModelTree | undefined = tree;
  for (const wish of wishes) now = now && afterWish(now, wish);
  return now;
}

function afterWish(tree: ModelTree, { action, path, content }: Wish): ModelTree | undefined {
  const parent = parentPath(path);
  if (parent !== undefined && tree.get(parent) !== null) return undefined;
  const there = tree.get(path);
  const put = (value: string | null) => new Map(tree).set(path, value);
  switch (action) {
    case 'create':
      return there === undefined ? put(content) : undefined;
    case 'write':
      return there === null ? undefined : put(content);
    case 'edit':
      return typeof there === 'string' && there.split('1').length === 2 ? put(there.replace('1', content)) : undefined;
    case 'mkdir':
      return typeof there === 'string' ? undefined : put(null);
    case 'remove':
      return there === undefined || holdsSomething(tree, path) ? undefined : without(tree, path);
  }
}

const holdsSomething = (tree: ModelTree, path: string): boolean =>
  [...tree.keys()].some((other) => parentPath(other) === path);

function without(tree: ModelTree, path: string): ModelTree {
  const rest = new Map(tree);
  rest.delete(path);
  return rest;
}
