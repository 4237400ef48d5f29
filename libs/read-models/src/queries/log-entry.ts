import { type LogEntry, type LogicalOperationId, OPERATIONS_PER_ENTRY } from '@retrace/contracts';
import type { DenialEntity } from '../entities/denial.entity.js';
import type { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import type { OperationEntity } from '../entities/operation.entity.js';
import type { PlannedPartEntity } from '../entities/planned-part.entity.js';

/** A denial has no logical operation. */
export type LogRow = Omit<LogEntry, 'logical_operation_id'> & { logical_operation_id: LogicalOperationId | null };

export type EntryOperation = Pick<
  OperationEntity,
  'operationId' | 'logicalOperationId' | 'action' | 'path' | 'movedFrom' | 'copiedFrom' | 'paths' | 'livePaths'
>;
export type EntryPlan = Pick<
  PlannedPartEntity,
  'logicalOperationId' | 'part' | 'operations' | 'operationCount' | 'pathCount'
>;

/** Shows an applied or failed logical operation. `sequence` and `time` MUST be there: it has ended. */
export function endedEntry(
  row: LogicalOperationEntity,
  task: string | null,
  operations: readonly EntryOperation[],
  plans: readonly EntryPlan[],
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
    undone_by: row.undoneBy,
    ...(row.status === 'applied' ? appliedOperations(row, operations) : plannedOperations(plans)),
    open: row.opening === 'open',
  };
}

export function deniedEntry(row: DenialEntity, task: string | null): LogRow {
  const action = row.action ?? row.intentType;
  const named = row.path === null ? [] : [{ operation_id: null, action, path: row.path, from: null, ...untouched }];
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
    operations: named,
    operation_count: named.length,
    path_count: 0,
    open: false,
  };
}

const untouched = { undone: false, paths: 0 };

const appliedOperations = (row: LogicalOperationEntity, operations: readonly EntryOperation[]) => ({
  operations: operations.map((operation) => ({
    operation_id: operation.operationId,
    action: operation.action,
    path: operation.path,
    from: operation.movedFrom ?? operation.copiedFrom,
    undone: operation.livePaths === 0,
    paths: operation.paths,
  })),
  operation_count: row.operationCount,
  path_count: row.pathCount,
});

/** What failed was asked for and changed nothing. */
const plannedOperations = (plans: readonly EntryPlan[]) => ({
  operations: plans
    .flatMap(({ operations }) => operations)
    .slice(0, OPERATIONS_PER_ENTRY)
    .map((operation) => ({ ...operation, ...untouched })),
  operation_count: plans.reduce((sum, { operationCount }) => sum + operationCount, 0),
  path_count: 0,
});
