import type { LogicalOperationId, OperationId, Principal } from '@retrace/contracts';
import type { History } from './history.js';
import type { IndexedOperation } from './operation-index.js';
import { movesObject } from './move-pairs.js';

/** What is taken back whole or not at all: a logical operation, or what of it was asked for. */
export interface SelectedUnit {
  readonly logical_operation_id: LogicalOperationId;
  readonly agent: Principal;
  /** Newest first. */
  readonly operations: readonly IndexedOperation[];
}

/** `whole`: units are logical operations; `records`: single records and what cannot be apart from them. */
export type UnitSize = 'whole' | 'records';

/** The selected units, newest first. */
export function selectedUnits(
  history: History,
  selected: ReadonlySet<OperationId>,
  size: UnitSize = 'whole',
): SelectedUnit[] {
  const units = new Map<string, IndexedOperation[]>();
  for (const operation of history.operations.toReversed()) {
    if (!selected.has(operation.operation_id)) continue;
    const key = size === 'whole' ? operation.logical_operation_id : recordKey(history, operation);
    const unit = units.get(key);
    if (unit) unit.push(operation);
    else units.set(key, [operation]);
  }
  return [...units.values()].map((operations) => ({
    logical_operation_id: operations[0]!.logical_operation_id,
    agent: operations[0]!.agent,
    operations,
  }));
}

/** Both ends of a file's move have one key. */
function recordKey(history: History, operation: IndexedOperation): string {
  const other = movesObject(operation) ? history.otherEnd(operation) : undefined;
  return operation.moved_to !== null && other ? other.operation_id : operation.operation_id;
}
