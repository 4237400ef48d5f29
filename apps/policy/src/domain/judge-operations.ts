import type { AuthorizedOperation, OperationId, WorkspacePath } from '@retrace/contracts';
import type { Refusal } from './decision-events.js';
import type { PolicyView, Reach, StateView, Tree } from './decision-input.js';
import type { PlacedOperation } from './place-operations.js';
import { deleteRecursive } from './verbs/delete-recursive.js';
import { judgeLanding } from './verbs/existence.js';
import { makeParents } from './verbs/make-parents.js';
import { type Judging, Refused, Scope, type Unknown } from './verbs/scope.js';
import { refuseTarget } from './verbs/symlink.js';
import { judgeCopy, judgeMove } from './verbs/transfer.js';
import type { WorkingTree } from './working-tree.js';

export type Judged =
  | { readonly kind: 'allowed'; readonly operations: AuthorizedOperation[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'need_facts'; readonly paths: WorkspacePath[] }
  | { readonly kind: 'need_trees'; readonly reaches: Reach[] };

export interface Judges {
  readonly policy: PolicyView;
  readonly state: StateView;
  readonly attempt: number;
  readonly partId: (asked: OperationId, path: string) => OperationId;
  readonly trees: ReadonlyMap<string, Tree>;
}

/**
 * Judges operations in order, each with knowledge of those before it, and expands what reaches many paths. Everything
 * that must be looked up is asked for at once, unless something is refused anyway.
 */
export function* judgeOperations(
  placed: readonly PlacedOperation[],
  { policy, state, attempt, partId, trees }: Judges,
): Generator<void, Judged> {
  const scope = new Scope(policy, state, attempt, partId, trees);
  const operations: AuthorizedOperation[] = [];
  const facts: WorkspacePath[] = [];
  const reaches: Reach[] = [];
  for (const operation of placed) {
    yield;
    const answer = yield* tryOne(operation, scope);
    if (answer instanceof Refused) {
      // Judged again once what is missing is known.
      if (!answer.certain && reaches.length + facts.length > 0) leave(unexpanded(operation), scope.tree);
      else return { kind: 'refused', refusal: answer.refusal };
    } else if (Array.isArray(answer)) {
      for (const one of answer) leave(one, scope.tree);
      operations.push(...answer);
    } else {
      if (answer.kind === 'fact') facts.push(answer.path);
      else reaches.push(...answer.reaches);
      leave(unexpanded(operation), scope.tree);
    }
  }
  if (reaches.length > 0) return { kind: 'need_trees', reaches: [...reaches, ...places(placed, trees, reaches)] };
  return facts.length > 0 ? { kind: 'need_facts', paths: facts } : { kind: 'allowed', operations };
}

/**
 * Where folders may come to stand: of folders moved one after another each shows only once the one before it is known, so
 * all are asked for with the first.
 */
function places(
  placed: readonly PlacedOperation[],
  trees: ReadonlyMap<string, Tree>,
  asked: readonly Reach[],
): Reach[] {
  const known = new Set<string>(asked.map(({ path }) => path));
  return placed.flatMap(({ request, canonical: path }) => {
    const mayBeFolder = request.action === 'move' || (request.action === 'copy' && request.recursive === true);
    if (!mayBeFolder || known.has(path) || trees.has(path)) return [];
    known.add(path);
    return [{ path, deep: false }];
  });
}

function* tryOne(operation: PlacedOperation, scope: Scope): Generator<void, AuthorizedOperation[] | Unknown | Refused> {
  try {
    scope.reach(operation, 1);
    return yield* judgeOne(operation, scope);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

function judgeOne(placed: PlacedOperation, scope: Scope): Judging {
  const { request } = placed;
  switch (request.action) {
    case 'mkdir':
      return request.parents ? makeParents(placed, scope) : single(placed, 'create', scope);
    case 'delete':
      return request.recursive ? deleteRecursive(placed, scope) : single(placed, 'delete', scope);
    case 'move':
      return judgeMove({ ...placed, request }, scope);
    case 'copy':
      return judgeCopy({ ...placed, request }, scope);
    case 'create':
      return single(placed, 'create', scope);
    case 'symlink':
      refuseTarget(placed, request.target, scope);
      return single(placed, 'create', scope);
    case 'edit':
      return edit(placed, scope);
    case 'chmod':
      return single(placed, 'overwrite', scope);
    case 'rmdir':
      return single(placed, 'delete', scope);
    case 'write':
    case 'append':
      return landing(placed, scope);
  }
}

function* single(placed: PlacedOperation, actionClass: 'create' | 'overwrite' | 'delete', scope: Scope): Judging {
  yield;
  return [scope.one(placed, actionClass, placed.canonical)];
}

/** Whether a text stands there is the answer to an edit: who may not read could ask for one sign after another. */
function* edit(placed: PlacedOperation, scope: Scope): Judging {
  const answer = yield* single(placed, 'overwrite', scope);
  scope.judge(placed, 'read', placed.canonical);
  return answer;
}

function* landing(placed: PlacedOperation, scope: Scope): Judging {
  yield;
  const { request, canonical } = placed;
  const answer = judgeLanding(placed, canonical, scope);
  return answer ? [{ request, canonical, ...answer }] : { kind: 'fact', path: canonical };
}

/** What is known of its effect although it is not judged yet: later ones of the intent are judged with it. */
const unexpanded = ({ request, canonical, from }: PlacedOperation): Effect => ({
  request,
  canonical,
  ...(from !== canonical && { source: { canonical: from } }),
});

interface Effect extends Pick<AuthorizedOperation, 'request' | 'canonical'> {
  readonly source?: { readonly canonical: WorkspacePath } | undefined;
}

/** What the operation leaves, for those after it. */
function leave({ request, canonical, source }: Effect, tree: WorkingTree): void {
  switch (request.action) {
    case 'delete':
    case 'rmdir':
      return tree.remove(canonical);
    case 'mkdir':
      return tree.putFolder(canonical, request.mode);
    case 'chmod':
      return tree.change(canonical, request.mode);
    case 'move':
    case 'copy': {
      const target = source && tree.at(source.canonical)?.target;
      if (source && request.action === 'move') tree.remove(source.canonical);
      return tree.putLeaf(canonical, target);
    }
    case 'symlink':
      return tree.putLeaf(canonical, request.target);
    case 'create':
    case 'write':
    case 'edit':
    case 'append':
      return tree.putLeaf(canonical);
  }
}
