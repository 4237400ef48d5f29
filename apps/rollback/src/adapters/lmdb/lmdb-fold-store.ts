import { partitionOf, type RollbackPlan, type WorkspaceName } from '@retrace/contracts';
import type { Position } from '@retrace/event-log';
import { failpoint } from '@retrace/platform/failpoint';
import type { PendingAbort } from '../../domain/pending-abort.js';
import { rollbackSaga } from '../../domain/rollback.saga.js';
import type { FoldEffect, FoldPlace, FoldStore, FoldView } from '../../ports/fold-store.port.js';
import type { LmdbOperationHistory } from './lmdb-operation-history.js';
import type { LmdbPlanStore } from './lmdb-plan-store.js';
import type { RollbackEnvironment, RowKey } from './rollback-environment.js';

/** Whose rows are written, and the sequence of the event that is the cause. */
interface Home {
  readonly lane: string;
  readonly workspace: WorkspaceName;
  readonly causedAt: number;
}

type AbortEffect = (view: FoldView, pending: PendingAbort) => FoldEffect;

/** Folds into LMDB. */
export class LmdbFoldStore implements FoldStore {
  constructor(
    private readonly environment: RollbackEnvironment,
    private readonly history: LmdbOperationHistory,
    private readonly plans: LmdbPlanStore,
  ) {}

  fold({ lane, workspace, eventId, position }: FoldPlace, effect: (view: FoldView) => FoldEffect): void {
    const { root, handled, positions } = this.environment;
    const key: RowKey = [lane, workspace, eventId];
    root.transactionSync(() => {
      if (!handled.doesExist(key)) {
        this.write({ lane, workspace, causedAt: position.sequence }, effect(this.viewOf(lane, workspace)));
        void handled.put(key, position.sequence);
        failpoint('rollback-fold.in-transaction');
      }
      positions.advance(lane, position);
    });
  }

  pass(lane: string, position: Position): void {
    this.environment.root.transactionSync(() => this.environment.positions.advance(lane, position));
  }

  forget(lane: string): void {
    this.environment.root.transactionSync(() => {
      this.environment.forgetLane(lane);
      this.environment.positions.rewind(lane, undefined);
    });
  }

  aborts(): PendingAbort[] {
    return Array.from(this.environment.aborts.getRange(), ({ value }) => value);
  }

  planAbort(pending: PendingAbort, plan: RollbackPlan, now: number, effect: AbortEffect): void {
    this.endAbort(pending, (view, waiting) => {
      this.plans.keep(plan, now);
      const { rollback_id } = waiting.authorization;
      void this.environment.abortPlans.put(rollback_id, { plan_hash: plan.plan_hash, applied: waiting.applied });
      return effect(view, waiting);
    });
  }

  endAbort({ authorization: { rollback_id, workspace }, event_id }: PendingAbort, effect: AbortEffect): void {
    const { root, aborts } = this.environment;
    const lane = String(partitionOf(workspace));
    root.transactionSync(() => {
      const waiting = aborts.get([lane, workspace, rollback_id]);
      if (waiting?.event_id !== event_id) return;
      this.write({ lane, workspace, causedAt: waiting.sequence }, effect(this.viewOf(lane, workspace), waiting));
    });
  }

  private viewOf(lane: string, workspace: WorkspaceName): FoldView {
    const { sagas, aborts, abortPlans } = this.environment;
    return {
      saga: (rollback) => sagas.get([lane, workspace, rollback]) ?? rollbackSaga.initialState,
      plan: (planHash) => this.plans.find(planHash),
      part: (planHash, part) => this.plans.part(planHash, part),
      ownerOf: (operation) => this.history.ownerOf(workspace, operation),
      abort: (rollback) => aborts.get([lane, workspace, rollback]),
      abortPlan: (rollback) => abortPlans.get(rollback),
    };
  }

  private write({ lane, workspace, causedAt }: Home, effect: FoldEffect): void {
    const { operations, failure, saga, outbox, abort, abortSettled } = effect;
    const { sagas, aborts } = this.environment;
    for (const operation of operations ?? []) this.history.add(workspace, operation);
    if (failure) this.history.addFailure(workspace, failure);
    if (saga) {
      void sagas.put([lane, workspace, saga.rollbackId], saga.state);
      this.plans.pin(saga.planHash, saga.rollbackId, saga.state.status === 'requested');
    }
    if (abort) void aborts.put([lane, workspace, abort.authorization.rollback_id], abort);
    if (abortSettled) void aborts.remove([lane, workspace, abortSettled]);
    for (const event of outbox ?? []) void this.environment.outbox.put([lane, workspace, causedAt, event.id], event);
  }
}
