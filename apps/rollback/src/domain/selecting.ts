import { type LogicalOperationId, type OperationId, RetraceError, type Selection } from '@retrace/contracts';
import { pairsOfMoves } from './move-pairs.js';
import { type IndexedOperation, inOrder } from './operation-index.js';
import type { UnitSize } from './selected-units.js';

/** Answers whether a glob names a path. */
export type GlobTest = (path: string) => boolean;
export type GlobDialect = (glob: string) => GlobTest;

/** Where paths are asked for, each record is a unit of its own; an operation is one with all of its parts. */
export const unitSize = ({ by }: Selection): UnitSize =>
  by === 'path' || by === 'glob' || by === 'created' ? 'records' : 'whole';

/** A selection of a step, once it is known which logical operation that is. */
export type Resolved = Exclude<Selection, { by: 'step' }>;

/**
 * Answers whether a selection names this record by itself. Rollbacks are named by their own ids alone: what they did is no
 * work of a session, an agent or a path.
 */
export function matcherOf(selection: Resolved, glob: GlobDialect): (operation: IndexedOperation) => boolean {
  switch (selection.by) {
    case 'operation':
      return ({ operation_id, part_of }) =>
        operation_id === selection.operation_id || part_of === selection.operation_id;
    case 'logical_operation':
      return ({ logical_operation_id }) => logical_operation_id === selection.logical_operation_id;
    case 'session':
      return ownWork(({ session_id }) => session_id === selection.session_id);
    case 'agent':
      return ownWork(narrowed(selection));
    case 'path':
      return ownWork(both(narrowed(selection), isPath(selection)));
    case 'glob':
      return ownWork(both(narrowed(selection), onPath(glob(selection.glob))));
    case 'created':
      return ownWork(({ session_id }) => session_id === selection.session_id);
    case 'since':
      if (selection.since_sequence === undefined && selection.since_time === undefined)
        throw new RetraceError('bad_request', 'since when? since_sequence or since_time must be given');
      return ownWork(narrowed(selection));
  }
}

type Test = (operation: IndexedOperation) => boolean;

const ownWork =
  (test: Test): Test =>
  (operation) =>
    operation.kind === 'operation' && test(operation);
const both =
  (a: Test, b: Test): Test =>
  (operation) =>
    a(operation) && b(operation);
const onPath =
  (test: GlobTest): Test =>
  ({ path }) =>
    test(path);
const isPath =
  ({ path, below }: Selection & { by: 'path' }): Test =>
  (operation) =>
    operation.path === path || (below === true && operation.path.startsWith(`${path}/`));

type Narrowing = Pick<Selection & { by: 'since' }, 'session_id' | 'agent' | 'since_sequence' | 'since_time'>;

function narrowed({ session_id, agent, since_sequence, since_time }: Narrowing): Test {
  const from = since_time === undefined ? undefined : Date.parse(since_time);
  return (operation) =>
    (session_id === undefined || operation.session_id === session_id) &&
    (agent === undefined || operation.agent === agent) &&
    (since_sequence === undefined || operation.sequence >= since_sequence) &&
    (from === undefined || operation.time >= from);
}

/**
 * The operations that a selection takes: all of the logical operations that it touches, or single records with both ends
 * of their moves. `operations` holds the logical operations of all that it names, whole.
 */
export function selectFrom(
  operations: readonly IndexedOperation[],
  selection: Resolved,
  glob: GlobDialect,
): ReadonlySet<OperationId> {
  const named = operations.filter(matcherOf(selection, glob));
  if (selection.by === 'operation' || unitSize(selection) === 'records')
    return withOtherEnds(named, pairsOfMoves(inOrder(operations)));
  const whole = new Set<LogicalOperationId>(named.map(({ logical_operation_id }) => logical_operation_id));
  return new Set(
    operations
      .filter(({ logical_operation_id }) => whole.has(logical_operation_id))
      .map(({ operation_id }) => operation_id),
  );
}

function withOtherEnds(
  named: readonly IndexedOperation[],
  pairs: ReadonlyMap<OperationId, IndexedOperation>,
): ReadonlySet<OperationId> {
  const ids = new Set<OperationId>();
  for (const operation of named) {
    ids.add(operation.operation_id);
    const other = pairs.get(operation.operation_id);
    if (other) ids.add(other.operation_id);
  }
  return ids;
}
