import type { EventEnvelope, EventId, RestoreStep, RollbackCompleted, RollbackStepRequested } from '@retrace/contracts';
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

/** The steps of one part of a plan, from 0. */
export type StepsOf = (planHash: string, planPart: number) => readonly RestoreStep[];

/** What the log is told; ids are derived, so that the same step told twice is the same event. */
export function envelopesOf(event: RollbackEvent, cause: Cause, stepsOf: StepsOf): EventEnvelope[] {
  switch (event.type) {
    case 'accepted':
      return [];
    case 'step_requested':
      return [stepRequested(event, cause, stepsOf)];
    case 'completed':
      return [completed(event, cause, stepsOf)];
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
  { authorization, part, parts, planPart }: RollbackEvent & { type: 'step_requested' },
  cause: Cause,
  stepsOf: StepsOf,
): EventEnvelope<typeof RollbackStepRequested> {
  const { rollback_id, logical_operation_id, intent_id, reason, decision } = authorization;
  const steps = stepsOf(authorization.plan_hash, planPart);
  const withIds = steps.map((step, index) => ({ ...step, operation_id: deriveId('op', rollback_id, part, index) }));
  return {
    ...attributes(authorization, cause),
    id: deriveId('evt', rollback_id, part, 'step'),
    type: StepRequested.type,
    data: { rollback_id, logical_operation_id, intent_id, part, parts, reason, decision, steps: withIds },
  };
}

function completed(
  { authorization, report, applied }: RollbackEvent & { type: 'completed' },
  cause: Cause,
  stepsOf: StepsOf,
): EventEnvelope<typeof RollbackCompleted> {
  const { rollback_id, logical_operation_id, intent_id, plan_hash } = authorization;
  const steps = Array.from({ length: applied }, (_, part) => stepsOf(plan_hash, part)).flat();
  const pathsOf = (some: readonly RestoreStep[]): string[] => [...new Set(some.map(({ path }) => path))];
  const paths = {
    restored: pathsOf(steps),
    merged: pathsOf(steps.filter(({ how }) => how === 'merge')),
    forced: pathsOf(steps.filter(({ how }) => how === 'force')),
  };
  return {
    ...attributes(authorization, cause),
    id: deriveId('evt', rollback_id, 'completed'),
    type: Completed.type,
    data: { rollback_id, logical_operation_id, intent_id, plan_hash, ...report, ...paths },
  };
}
