import type { LogicalOperationId, Principal, Selection } from '@retrace/contracts';
import type { IndexedOperation } from './operation-index.js';

/** What is taken back whole or not at all: a logical operation, or the one operation of it that was asked for. */
export interface SelectedUnit {
  readonly logical_operation_id: LogicalOperationId;
  readonly agent: Principal;
  /** Newest first. */
  readonly operations: readonly IndexedOperation[];
}

/** Answers whether the selection names this operation. Of a session, rollbacks are not counted. */
export function isSelected(selection: Selection, operation: IndexedOperation): boolean {
  switch (selection.by) {
    case 'operation':
      return operation.operation_id === selection.operation_id;
    case 'logical_operation':
      return operation.logical_operation_id === selection.logical_operation_id;
    case 'session':
      return operation.kind === 'operation' && operation.session_id === selection.session_id;
    default:
      return false;
  }
}

/** The selected units, newest first. `history` is in order. */
export function selectedUnits(history: readonly IndexedOperation[], selection: Selection): SelectedUnit[] {
  const units = new Map<LogicalOperationId, IndexedOperation[]>();
  for (const operation of history.toReversed()) {
    if (!isSelected(selection, operation)) continue;
    const unit = units.get(operation.logical_operation_id);
    if (unit) unit.push(operation);
    else units.set(operation.logical_operation_id, [operation]);
  }
  return [...units].map(([logical_operation_id, operations]) => ({
    logical_operation_id,
    agent: operations[0]!.agent,
    operations,
  }));
}
