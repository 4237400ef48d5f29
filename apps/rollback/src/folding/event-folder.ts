import type {
  EventId,
  LogicalOperationAborted,
  OperationApplied,
  OperationFailed,
  RollbackAuthorized,
  RollbackCompleted,
  RollbackId,
  RollbackPlan,
  StoredEvent,
} from '@retrace/contracts';
import { fold } from '@retrace/event-sourcing';
import type { LaneDelivery } from '@retrace/event-log';
import { failpoint } from '@retrace/platform/failpoint';
import { operationsOf } from '../domain/operation-index.js';
import type { PendingAbort } from '../domain/pending-abort.js';
import { type RollbackInput, rollbackSaga } from '../domain/rollback.saga.js';
import { type Authorization, type RollbackWork, workOf } from '../domain/rollback-work.js';
import type { FoldEffect, FoldStore, FoldView } from '../ports/fold-store.port.js';
import { envelopesOf } from './rollback-events.js';

type Delivered = Pick<LaneDelivery, 'lane' | 'position'>;

/** Why there is no plan. */
type Refusal = Pick<RollbackInput & { type: 'not_planned' }, 'code' | 'message'>;

/** An abort needs no decision of policy beside itself. */
const ABORT_DECISION = { policy_version: 0, rule: 'logical_operation.aborted' };

/** Folds events into the operation index and the sagas, and leaves what follows from them in the outbox. */
export class EventFolder {
  constructor(
    private readonly store: FoldStore,
    /** Called after each fold: there may be something to publish, or to plan. */
    private readonly folded: () => void,
    private readonly now: () => string,
  ) {}

  applied(event: StoredEvent<typeof OperationApplied>, delivery: Delivered): void {
    const { rollback_id, part } = event.data;
    this.fold(event, delivery, (view) => ({
      operations: operationsOf(event),
      ...(rollback_id && this.partApplied(view, rollback_id, part, event.id)),
    }));
  }

  failed(event: StoredEvent<typeof OperationFailed>, delivery: Delivered): void {
    const { rollback_id, part, code, message, logical_operation_id, session_id } = event.data;
    this.fold(event, delivery, (view) => ({
      failure: { logical_operation_id, session_id, agent: event.agent, code },
      ...(rollback_id && this.advance(view, rollback_id, { type: 'part_failed', part, code, message }, event.id)),
    }));
  }

  authorized(event: StoredEvent<typeof RollbackAuthorized>, delivery: Delivered): void {
    const { rollback_id, logical_operation_id, intent_id, plan_hash, reason, decision } = event.data;
    const { workspace, agent, traceparent } = event;
    const ids = { rollback_id, logical_operation_id, intent_id, plan_hash };
    const authorization: Authorization = { ...ids, reason, decision, workspace, agent, traceparent };
    this.fold(event, delivery, (view) => this.begin(view, authorization, event.id));
  }

  /** Planning looks at the disk, so it comes later; a plan that was made before a fold was forgotten counts again. */
  aborted(event: StoredEvent<typeof LogicalOperationAborted>, delivery: Delivered): void {
    const { rollback_id, rollback_logical_operation_id, intent_id, reason, logical_operation_id } = event.data;
    const { workspace, agent, traceparent, sequence, id } = event;
    const ids = { rollback_id, logical_operation_id: rollback_logical_operation_id, intent_id };
    const authorization = { ...ids, reason, decision: ABORT_DECISION, workspace, agent, traceparent };
    const pending: PendingAbort = { authorization, aborted: logical_operation_id, event_id: id, sequence, applied: 0 };
    this.fold(event, delivery, (view) => {
      const known = view.abortPlan(rollback_id);
      if (!known || !view.plan(known.plan_hash)) return { abort: pending };
      return this.begin(view, { ...authorization, plan_hash: known.plan_hash }, id, known.applied);
    });
  }

  /** Our own report: what it ends is not planned again. */
  completed(event: StoredEvent<typeof RollbackCompleted>, delivery: Delivered): void {
    this.fold(event, delivery, () => ({ abortSettled: event.data.rollback_id }));
  }

  /** The plan that takes an aborted logical operation back. */
  planned(pending: PendingAbort, plan: RollbackPlan, now: number): void {
    this.store.planAbort(pending, plan, now, (view, waiting) => {
      const authorization = { ...waiting.authorization, plan_hash: plan.plan_hash };
      const begun = this.begin(view, authorization, waiting.event_id as EventId, waiting.applied);
      return { ...begun, abortSettled: authorization.rollback_id };
    });
    this.folded();
  }

  /** There is no plan for it; `plan_hash` is that of a plan that does nothing. Reported, so that who waits is answered. */
  abandoned(pending: PendingAbort, plan_hash: string, { code, message }: Refusal): void {
    this.store.endAbort(pending, (view, { authorization: waiting, applied, event_id }) => {
      const authorization = { ...waiting, plan_hash };
      const { rollback_id } = waiting;
      const input: RollbackInput = { type: 'not_planned', authorization, applied, code, message };
      return { ...this.advance(view, rollback_id, input, event_id as EventId), abortSettled: rollback_id };
    });
    this.folded();
  }

  private begin(view: FoldView, authorization: Authorization, cause: EventId, applied = 0): FoldEffect {
    const work = workFor(view, authorization, applied);
    return this.advance(view, authorization.rollback_id, { type: 'authorized', authorization, work }, cause);
  }

  private partApplied(view: FoldView, rollbackId: RollbackId, part: number, cause: EventId): FoldEffect {
    const pending = view.abort(rollbackId);
    if (pending) return { abort: { ...pending, applied: Math.max(pending.applied, part) } };
    return this.advance(view, rollbackId, { type: 'part_applied', part }, cause);
  }

  private fold(event: StoredEvent, { lane, position }: Delivered, effect: (view: FoldView) => FoldEffect): void {
    this.store.fold({ lane, position, workspace: event.workspace, eventId: event.id }, effect);
    failpoint('rollback-fold.after-commit');
    this.folded();
  }

  private advance(view: FoldView, rollbackId: RollbackId, input: RollbackInput, eventId: EventId): FoldEffect {
    const before = view.saga(rollbackId);
    const events = rollbackSaga.decide(input, before);
    const last = events.at(-1);
    if (!last) return {};
    const { plan_hash } = last.type === 'accepted' ? last.work.authorization : last.authorization;
    const state = fold(rollbackSaga.evolve.bind(rollbackSaga), before, events);
    const cause = { eventId, now: this.now() };
    return {
      saga: { rollbackId, planHash: plan_hash, state },
      outbox: events.flatMap((event) => envelopesOf(event, cause, (planHash, part) => view.part(planHash, part))),
    };
  }
}

/** `undefined` where the plan is not kept, or is one for another workspace. */
function workFor(view: FoldView, authorization: Authorization, applied: number): RollbackWork | undefined {
  const kept = view.plan(authorization.plan_hash);
  if (kept?.plan.workspace !== authorization.workspace) return undefined;
  const parts = Array.from({ length: kept.parts }, (_, part) => view.part(authorization.plan_hash, part));
  return workOf(authorization, kept.plan, parts, (operation) => view.ownerOf(operation), applied);
}
