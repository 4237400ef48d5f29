import type {
  OperationApplied,
  OperationFailed,
  RollbackAuthorized,
  RollbackId,
  StoredEvent,
} from '@retrace/contracts';
import { fold } from '@retrace/event-sourcing';
import type { LaneDelivery } from '@retrace/event-log';
import { operationsOf } from '../domain/operation-index.js';
import { type RollbackInput, rollbackSaga } from '../domain/rollback.saga.js';
import { type Authorization, workOf } from '../domain/rollback-work.js';
import type { FoldEffect, FoldStore, FoldView } from '../ports/fold-store.port.js';
import { envelopesOf } from './rollback-events.js';

type Delivered = Pick<LaneDelivery, 'lane' | 'position'>;

/** Folds events into the operation index and the sagas, and leaves what follows from them in the outbox. */
export class EventFolder {
  constructor(
    private readonly store: FoldStore,
    /** Called after each fold: there may be something to publish. */
    private readonly folded: () => void,
    private readonly now: () => string,
  ) {}

  applied(event: StoredEvent<typeof OperationApplied>, delivery: Delivered): void {
    const { rollback_id, part } = event.data;
    this.fold(event, delivery, (view) => ({
      operations: operationsOf(event),
      ...(rollback_id && this.advance(view, rollback_id, { type: 'part_applied', part }, event)),
    }));
  }

  failed(event: StoredEvent<typeof OperationFailed>, delivery: Delivered): void {
    const { rollback_id, part, code, message, logical_operation_id, session_id } = event.data;
    this.fold(event, delivery, (view) => ({
      failure: { logical_operation_id, session_id, agent: event.agent, code },
      ...(rollback_id && this.advance(view, rollback_id, { type: 'part_failed', part, code, message }, event)),
    }));
  }

  authorized(event: StoredEvent<typeof RollbackAuthorized>, delivery: Delivered): void {
    const { rollback_id, logical_operation_id, intent_id, plan_hash, reason, decision } = event.data;
    const { workspace, agent, traceparent } = event;
    const ids = { rollback_id, logical_operation_id, intent_id, plan_hash };
    const authorization: Authorization = { ...ids, reason, decision, workspace, agent, traceparent };
    this.fold(event, delivery, (view) => {
      const plan = view.plan(plan_hash);
      const usable = plan?.workspace === workspace ? plan : undefined;
      const work = usable && workOf(authorization, usable, (operation) => view.ownerOf(operation));
      return this.advance(view, rollback_id, { type: 'authorized', authorization, work }, event);
    });
  }

  private fold(event: StoredEvent, { lane, position }: Delivered, effect: (view: FoldView) => FoldEffect): void {
    this.store.fold({ lane, position, workspace: event.workspace, eventId: event.id }, effect);
    this.folded();
  }

  private advance(view: FoldView, rollbackId: RollbackId, input: RollbackInput, cause: StoredEvent): FoldEffect {
    const before = view.saga(rollbackId);
    const events = rollbackSaga.decide(input, before);
    const last = events.at(-1);
    if (!last) return {};
    const { plan_hash } = last.type === 'accepted' ? last.work.authorization : last.authorization;
    const state = fold(rollbackSaga.evolve.bind(rollbackSaga), before, events);
    return {
      saga: { rollbackId, planHash: plan_hash, state },
      outbox: events.flatMap((event) => envelopesOf(event, { eventId: cause.id, now: this.now() })),
    };
  }
}
