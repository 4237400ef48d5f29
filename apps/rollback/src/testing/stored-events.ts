import {
  EventIdSchema,
  LogicalOperationAborted,
  type LogicalOperationId,
  type EventData,
  OperationApplied,
  OperationFailed,
  type OperationRecord,
  RollbackAuthorized,
  type StoredEvent,
} from '@retrace/contracts';
import type { IndexedOperation } from '../domain/operation-index.js';
import type { Authorization } from '../domain/rollback-work.js';
import { context, sessionOf } from '../domain/testing/history-builder.js';
import { authorization as anyAuthorization } from '../domain/testing/rollback-plans.js';

const uuid = (number: number): string => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
const eventId = (number: number) => EventIdSchema.parse(`evt_${uuid(number)}`);

const attributes = (sequence: number, { workspace, agent }: Pick<Authorization, 'workspace' | 'agent'>) => ({
  id: eventId(sequence),
  source: 'retrace/spec',
  time: new Date(sequence * 1000).toISOString(),
  workspace,
  agent,
  sequence,
});

const recordOf = (operation: IndexedOperation): OperationRecord => ({
  operation_id: operation.operation_id,
  logical_operation_id: operation.logical_operation_id,
  session_id: operation.session_id,
  agent_id: operation.agent,
  tool: null,
  model: null,
  action: operation.kind === 'rollback' ? 'restore' : 'write',
  path: { typed: operation.path, canonical: operation.path },
  parameters: { content_hash: null, overwrite: false, expected_state_hash: null, write_mode: null, matches: null },
  part_of: operation.part_of,
  moved_from: operation.moved_from,
  moved_to: operation.moved_to,
  copied_from: null,
  reason: null,
  provenance: {},
  trace_id: null,
  rollback_instruction: { path: operation.path, expect: operation.after, restore: operation.before },
  state_snapshot_before: { state: operation.before, sequence: null },
  state_snapshot_after: { state: operation.after, sequence: 'self' },
  decision: { policy_version: 1, rule: 'all' },
  duration_ms: 1,
  undo_coverage: { undoable: operation.undoable, restores: [], lost: [] },
  compensates: [...operation.compensates],
  notes: [],
});

const outcome = (authorization: Authorization, part: number) => ({
  logical_operation_id: authorization.logical_operation_id,
  kind: 'rollback' as const,
  intent_id: authorization.intent_id,
  session_id: null,
  rollback_id: authorization.rollback_id,
  part,
  authorized_by: { sequence: 1, event_id: eventId(1) },
  epoch: 1,
});

/** The event that these operations, all of one logical operation, were recorded by. */
export function appliedEvent(
  operations: readonly IndexedOperation[],
  sequence = operations[0]!.sequence,
): StoredEvent<typeof OperationApplied> {
  const { logical_operation_id, kind, session_id, agent } = operations[0]!;
  const { workspace } = context;
  const data: EventData<typeof OperationApplied> = {
    ...outcome(anyAuthorization, 1),
    logical_operation_id,
    kind,
    session_id,
    rollback_id: null,
    operations: operations.map(recordOf),
  };
  return { ...attributes(sequence, { workspace, agent }), type: OperationApplied.type, data };
}

/** The outcome of a part of a rollback. */
export const partApplied = (
  authorization: Authorization,
  part: number,
  operations: readonly IndexedOperation[],
  sequence: number,
): StoredEvent<typeof OperationApplied> => ({
  ...attributes(sequence, authorization),
  type: OperationApplied.type,
  data: { ...outcome(authorization, part), operations: operations.map(recordOf) },
});

export const partFailed = (
  authorization: Authorization,
  part: number,
  sequence: number,
): StoredEvent<typeof OperationFailed> => ({
  ...attributes(sequence, authorization),
  type: OperationFailed.type,
  data: {
    ...outcome(authorization, part),
    code: 'changed_outside',
    message: 'somebody was there',
    failed_at: 0,
    path: null,
    expected: null,
    found: null,
    needs_attention: [],
  },
});

export const authorizedEvent = (
  authorization: Authorization,
  sequence: number,
): StoredEvent<typeof RollbackAuthorized> => {
  const { rollback_id, logical_operation_id, intent_id, plan_hash, reason, decision, agent } = authorization;
  const ids = { rollback_id, logical_operation_id, intent_id, plan_hash };
  return {
    ...attributes(sequence, authorization),
    type: RollbackAuthorized.type,
    data: { ...ids, in_sequence: 1, attempt: 1, requested_by: agent, reason, decision },
  };
};

/** A logical operation was aborted; the authorization's ids are those under which it is taken back. */
export const abortedEvent = (
  authorization: Authorization,
  aborted: LogicalOperationId,
  sequence: number,
): StoredEvent<typeof LogicalOperationAborted> => {
  const { rollback_id, logical_operation_id, intent_id, reason, agent } = authorization;
  return {
    ...attributes(sequence, authorization),
    type: LogicalOperationAborted.type,
    data: {
      intent_id,
      in_sequence: 1,
      attempt: 1,
      logical_operation_id: aborted,
      session_id: sessionOf(agent),
      why: 'requested',
      reason,
      rollback_id,
      rollback_logical_operation_id: logical_operation_id,
    },
  };
};
