import type { OperationId } from '@retrace/contracts';
import type { History } from './history.js';
import type { IndexedOperation } from './operation-index.js';

/**
 * Earlier rollbacks that stand in the way of a wider one, although they took back nothing but what is selected: a step
 * was undone around later work, and now all of that work is to go. Such a compensation is taken back first, and what
 * it took back goes with the rest.
 */
export function revokedRollbacks(history: History, selected: ReadonlySet<OperationId>): ReadonlySet<OperationId> {
  const revoked = new Set<OperationId>();
  const isWanted = ({ operation_id }: IndexedOperation): boolean => selected.has(operation_id);
  for (const path of history.paths) {
    const live = history.liveAt(path);
    const earlier: IndexedOperation[] = [];
    for (const operation of live) {
      if (isWanted(operation)) earlier.push(operation);
      else if (isWithin(operation, selected) && earlier.some((each) => !history.isNeutralTo(each, operation)))
        revoked.add(operation.operation_id);
    }
  }
  return revoked;
}

const isWithin = ({ compensates }: IndexedOperation, selected: ReadonlySet<OperationId>): boolean =>
  compensates.length > 0 && compensates.every((id) => selected.has(id));
