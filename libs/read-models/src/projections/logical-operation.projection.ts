import type {
  DecisionReferenceSchema,
  IntentAuthorized,
  IntentStale,
  OperationApplied,
  OperationFailed,
  RollbackAuthorized,
  RollbackStepRequested,
  StoredEvent,
} from '@retrace/contracts';
import type { z } from 'zod';
import type { LogicalOperationEntity, PlannedOperation } from '../entities/logical-operation.entity.js';
import type { RowOf } from '../entities/row-of.js';

type Row = RowOf<LogicalOperationEntity>;
type DecisionReference = z.infer<typeof DecisionReferenceSchema>;

/** A later attempt plans anew; what has ended stays as it ended. */
export function planned(row: Row | undefined, event: StoredEvent<typeof IntentAuthorized>): Row {
  if (row && hasEnded(row)) return row;
  const { workspace, agent, data } = event;
  return {
    ...notEnded,
    ...ruling(data.operations.map((operation) => operation.decision)),
    workspace,
    logicalOperationId: data.logical_operation_id,
    intentId: data.intent_id,
    agent,
    sessionId: data.session_id,
    rollbackId: null,
    kind: 'operation',
    tool: data.tool,
    reason: data.reason,
    planned: data.operations.map(({ request, canonical }) => planOf(request.operation_id, request.action, canonical)),
  };
}

/** The rollback's steps become known with its requests. */
export function rollbackPlanned(row: Row | undefined, event: StoredEvent<typeof RollbackAuthorized>): Row {
  if (row) return row;
  const { workspace, agent, data } = event;
  return {
    ...notEnded,
    ...ruling([data.decision]),
    workspace,
    logicalOperationId: data.logical_operation_id,
    intentId: data.intent_id,
    agent,
    sessionId: null,
    rollbackId: data.rollback_id,
    kind: 'rollback',
    tool: null,
    reason: data.reason,
    planned: [],
  };
}

export function stepsPlanned(
  row: Row | undefined,
  { data }: StoredEvent<typeof RollbackStepRequested>,
): Row | undefined {
  if (!row) return undefined;
  const steps = data.steps.map((step) => planOf(step.operation_id, 'restore', step.path, data.part));
  return { ...row, planned: [...row.planned.filter(({ part }) => part !== data.part), ...steps] };
}

/** Policy decides again, under this id or another one. */
export function wentStale(row: Row | undefined, _event: StoredEvent<typeof IntentStale>): Row | undefined {
  return row === undefined || hasEnded(row) ? row : { ...row, status: 'stale' };
}

/** One applied part makes the whole appear as applied: its effects are on the disk, whatever other parts met. */
export function applied(row: Row | undefined, event: StoredEvent<typeof OperationApplied>): Row {
  const { operations } = event.data;
  const { tool, reason } = operations[0]!;
  const known = row ?? { ...unknown(event), ...ruling(operations.map(({ decision }) => decision)), tool, reason };
  return { ...known, status: 'applied', sequence: event.sequence, time: event.time };
}

/** Keeps what failed; a rollback of which a part was applied stays applied. */
export function failed(row: Row | undefined, event: StoredEvent<typeof OperationFailed>): Row {
  const known = row ?? unknown(event);
  const { code, message, path, expected, found, needs_attention } = event.data;
  const failure = { path, expected, found, needs_attention };
  const status = known.status === 'applied' ? 'applied' : 'failed';
  return { ...known, status, code, message, failure, sequence: event.sequence, time: event.time };
}

/** Paths that a failure was about: those planned for its part, or the one it names. */
export function failedPaths(row: Row | undefined, { data }: StoredEvent<typeof OperationFailed>): string[] {
  const paths = (row?.planned ?? []).filter(({ part }) => part === data.part).map(({ path }) => path);
  return [...new Set(data.path === null ? paths : [...paths, data.path])];
}

const notEnded = {
  status: 'authorized',
  sequence: null,
  time: null,
  code: null,
  message: null,
  failure: null,
} as const;

const hasEnded = (row: Row): boolean => row.sequence !== null;

/** An outcome whose authorization nobody saw: the outcome itself says what it can. */
function unknown({ workspace, agent, data }: StoredEvent<typeof OperationApplied | typeof OperationFailed>): Row {
  return {
    ...notEnded,
    ...ruling([]),
    workspace,
    logicalOperationId: data.logical_operation_id,
    intentId: data.intent_id,
    agent,
    sessionId: data.session_id,
    rollbackId: data.rollback_id,
    kind: data.kind,
    tool: null,
    reason: null,
    planned: [],
  };
}

const planOf = (operation_id: PlannedOperation['operation_id'], action: string, path: string, part = 1) => ({
  operation_id,
  action,
  path,
  part,
});

/** Operations of one intent may be allowed by different rules: each is named once. */
const ruling = (decisions: readonly DecisionReference[]): Pick<Row, 'rule' | 'policyVersion'> => ({
  rule: decisions.length === 0 ? null : [...new Set(decisions.map(({ rule }) => rule))].join(', '),
  policyVersion: decisions[0]?.policy_version ?? null,
});
