import type {
  LogicalOperationAborted,
  RollbackAuthorized,
  RollbackCompleted,
  RollbackStepRequested,
  StoredEvent,
} from '@retrace/contracts';
import type { RollbackEntity } from '../entities/rollback.entity.js';
import type { RowOf } from '../entities/row-of.js';

type Row = RowOf<RollbackEntity>;

export function rollbackAuthorized(row: Row | undefined, event: StoredEvent<typeof RollbackAuthorized>): Row {
  if (row) return row;
  const { workspace, sequence, time, data } = event;
  return {
    workspace,
    rollbackId: data.rollback_id,
    logicalOperationId: data.logical_operation_id,
    intentId: data.intent_id,
    requestedBy: data.requested_by,
    planHash: data.plan_hash,
    reason: data.reason,
    status: 'authorized',
    parts: null,
    report: null,
    sequence,
    time,
  };
}

/** An abort is the authority to take back what was applied: nobody asked for a plan. */
export function rollbackOfAbort(row: Row | undefined, event: StoredEvent<typeof LogicalOperationAborted>): Row {
  if (row) return row;
  const { workspace, agent, sequence, time, data } = event;
  return {
    workspace,
    rollbackId: data.rollback_id,
    logicalOperationId: data.rollback_logical_operation_id,
    intentId: data.intent_id,
    requestedBy: agent,
    planHash: null,
    reason: data.reason,
    status: 'authorized',
    parts: null,
    report: null,
    sequence,
    time,
  };
}

export function rollbackRunning(
  row: Row | undefined,
  { sequence, time, data }: StoredEvent<typeof RollbackStepRequested>,
): Row | undefined {
  if (!row || row.status === 'completed') return row;
  return { ...row, status: 'running', parts: data.parts, sequence, time };
}

/** The first report counts. */
export function rollbackCompleted(
  row: Row | undefined,
  { sequence, time, data }: StoredEvent<typeof RollbackCompleted>,
): Row | undefined {
  if (!row || row.status === 'completed') return row;
  const { outcome, undone, restored, merged, forced, left_out, failures } = data;
  const report = { outcome, undone, restored, merged, forced, left_out, failures };
  return { ...row, status: 'completed', report, sequence, time };
}
