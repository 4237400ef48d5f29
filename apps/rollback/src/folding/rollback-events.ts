import type { EventEnvelope, EventId, RollbackCompleted, RollbackStepRequested } from '@retrace/contracts';
import { RollbackCompleted as Completed, RollbackStepRequested as StepRequested } from '@retrace/contracts';
import { deriveId } from '@retrace/event-log';
import type { RollbackEvent } from '../domain/rollback.saga.js';
import type { Authorization } from '../domain/rollback-work.js';

/** The event of the log that made the saga move, and the publisher's clock. */
export interface Cause {
  readonly eventId: EventId;
  /** RFC 3339. */
  readonly now: string;
}

/** What the log is told; ids are derived, so that the same step told twice is the same event. */
export function envelopesOf(event: RollbackEvent, cause: Cause): EventEnvelope[] {
  switch (event.type) {
    case 'accepted':
      return [];
    case 'step_requested':
      return [stepRequested(event, cause)];
    case 'completed':
      return [completed(event, cause)];
  }
}

const attributes = ({ workspace, agent, intent_id, traceparent }: Authorization, { eventId, now }: Cause) => ({
  source: 'retrace/rollback',
  time: now,
  workspace,
  agent,
  correlationid: intent_id,
  causationid: eventId,
  ...(traceparent === undefined ? {} : { traceparent }),
});

function stepRequested(
  { authorization, part, parts, steps }: RollbackEvent & { type: 'step_requested' },
  cause: Cause,
): EventEnvelope<typeof RollbackStepRequested> {
  const { rollback_id, logical_operation_id, intent_id, reason, decision } = authorization;
  const withIds = steps.map((step, index) => ({ ...step, operation_id: deriveId('op', rollback_id, part, index) }));
  return {
    ...attributes(authorization, cause),
    id: deriveId('evt', rollback_id, part, 'step'),
    type: StepRequested.type,
    data: { rollback_id, logical_operation_id, intent_id, part, parts, reason, decision, steps: withIds },
  };
}

function completed(
  { authorization, report }: RollbackEvent & { type: 'completed' },
  cause: Cause,
): EventEnvelope<typeof RollbackCompleted> {
  const { rollback_id, logical_operation_id, intent_id, plan_hash } = authorization;
  return {
    ...attributes(authorization, cause),
    id: deriveId('evt', rollback_id, 'completed'),
    type: Completed.type,
    data: { rollback_id, logical_operation_id, intent_id, plan_hash, merged: [], forced: [], ...report },
  };
}
