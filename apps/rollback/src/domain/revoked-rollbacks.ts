import type { OperationId } from '@retrace/contracts';
import type { History } from './history.js';
import type { IndexedOperation } from './operation-index.js';

/**
 * Earlier rollbacks that stand in the way of a wider one, although they took back nothing but what is selected: a step
 * was undone, or redone, around later work, and now all of that work is to go. Such a compensation is taken back first,
 * and what it took back goes with the rest.
 */
export function revokedRollbacks(history: History, selected: ReadonlySet<OperationId>): ReadonlySet<OperationId> {
  const revoked = new Set<OperationId>();
  const within = compensationsWithin(history, selected);
  for (const path of history.paths) {
    const earlier: IndexedOperation[] = [];
    for (const operation of history.liveAt(path)) {
      if (selected.has(operation.operation_id)) earlier.push(operation);
      else if (within.has(operation.operation_id) && earlier.some((each) => !history.isNeutralTo(each, operation)))
        revoked.add(operation.operation_id);
    }
  }
  return withTakenBack(history, revoked, within);
}

/** Of a redo also the undo that it took back: what both were about stood, and is taken back by this plan. */
function withTakenBack(
  { operations }: History,
  revoked: Set<OperationId>,
  within: ReadonlySet<OperationId>,
): ReadonlySet<OperationId> {
  if (revoked.size === 0) return revoked;
  for (const { operation_id, compensates } of operations.toReversed())
    if (revoked.has(operation_id)) for (const id of compensates) if (within.has(id)) revoked.add(id);
  return revoked;
}

/** Undos of selected work alone, redos of such undos, and so on. */
function compensationsWithin(history: History, selected: ReadonlySet<OperationId>): ReadonlySet<OperationId> {
  const within = new Set<OperationId>();
  for (const { operation_id, compensates } of history.operations)
    if (compensates.length > 0 && compensates.every((id) => selected.has(id) || within.has(id)))
      within.add(operation_id);
  return within;
}
