import type { LogEntry, LogicalOperationId } from '@retrace/contracts';
import type { DecisionEntity } from '../entities/decision.entity.js';
import type { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import type { OperationEntity } from '../entities/operation.entity.js';
import { isLive, newestCompensator } from '../projections/compensation.projection.js';

/** A denial has no logical operation. */
export type LogRow = Omit<LogEntry, 'logical_operation_id'> & { logical_operation_id: LogicalOperationId | null };

export type EntryOperation = Pick<
  OperationEntity,
  'operationId' | 'logicalOperationId' | 'action' | 'path' | 'undoneBy' | 'sequence'
>;

/** Shows an applied or failed logical operation. `sequence` and `time` MUST be there: it has ended. */
export function endedEntry(
  row: LogicalOperationEntity,
  task: string | null,
  operations: readonly EntryOperation[],
): LogRow {
  return {
    sequence: row.sequence!,
    time: row.time!,
    logical_operation_id: row.logicalOperationId,
    kind: row.kind,
    status: row.status === 'applied' ? 'applied' : 'failed',
    agent: row.agent,
    session_id: row.sessionId,
    task,
    tool: row.tool,
    reason: row.reason,
    code: row.code,
    message: row.message,
    rule: row.rule,
    policy_version: row.policyVersion,
    undone_by: undoneBy(operations),
    operations: row.status === 'applied' ? operations.map(shown) : plannedOperations(row),
    operation_count: operations.length,
    path_count: operations.length,
    open: false,
  };
}

export function deniedEntry(row: DecisionEntity, task: string | null): LogRow {
  return {
    sequence: row.sequence,
    time: row.time,
    logical_operation_id: null,
    kind: row.intentType === 'rollback' ? 'rollback' : 'operation',
    status: 'denied',
    agent: row.agent,
    session_id: row.sessionId,
    task,
    tool: null,
    reason: row.reason,
    code: row.code,
    message: row.message,
    rule: row.rule,
    policy_version: row.policyVersion,
    undone_by: null,
    operations:
      row.path === null
        ? []
        : [
            {
              operation_id: null,
              action: row.action ?? row.intentType,
              path: row.path,
              from: null,
              undone: false,
              paths: 0,
            },
          ],
    operation_count: 0,
    path_count: 0,
    open: false,
  };
}

const shown = (row: EntryOperation) => ({
  operation_id: row.operationId,
  action: row.action,
  path: row.path,
  from: null,
  undone: !isLive(row),
  paths: 1,
});

const plannedOperations = ({ planned }: LogicalOperationEntity) =>
  planned.map(({ operation_id, action, path }) => ({
    operation_id,
    action,
    path,
    from: null,
    undone: false,
    paths: 1,
  }));

/** The rollback that took back the last of them; `null` while any is live. */
function undoneBy(operations: readonly EntryOperation[]): LogicalOperationId | null {
  if (operations.some(isLive)) return null;
  return newestCompensator(operations.flatMap((row) => row.undoneBy))?.logical_operation_id ?? null;
}
