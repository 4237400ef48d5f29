import type { OperationId } from '@retrace/contracts';
import type { IndexedOperation } from './operation-index.js';

/**
 * Answers the operations whose effect stands: those that no live compensation takes back. `history` is in order, so one
 * pass from its end suffices: an operation is taken back by later ones alone. `revoked` compensations take nothing back.
 */
export function liveOperations(
  history: readonly IndexedOperation[],
  revoked: ReadonlySet<OperationId> = new Set(),
): ReadonlySet<OperationId> {
  const live = new Set<OperationId>();
  const takenBack = new Set<OperationId>();
  for (const operation of history.toReversed()) {
    if (takenBack.has(operation.operation_id)) continue;
    live.add(operation.operation_id);
    if (!revoked.has(operation.operation_id)) for (const id of operation.compensates) takenBack.add(id);
  }
  return live;
}
