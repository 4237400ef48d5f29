import type { WorkspaceName } from '@retrace/contracts';
import type { Position } from '@retrace/event-log';
import { rollbackSaga } from '../../domain/rollback.saga.js';
import type { FoldEffect, FoldPlace, FoldStore, FoldView } from '../../ports/fold-store.port.js';
import type { LmdbOperationHistory } from './lmdb-operation-history.js';
import type { LmdbPlanStore } from './lmdb-plan-store.js';
import type { RollbackEnvironment, RowKey } from './rollback-environment.js';

/** Folds into LMDB. */
export class LmdbFoldStore implements FoldStore {
  constructor(
    private readonly environment: RollbackEnvironment,
    private readonly history: LmdbOperationHistory,
    private readonly plans: LmdbPlanStore,
  ) {}

  fold(place: FoldPlace, effect: (view: FoldView) => FoldEffect): void {
    const { root, handled, positions } = this.environment;
    const key: RowKey = [place.lane, place.workspace, place.eventId];
    root.transactionSync(() => {
      if (!handled.doesExist(key)) {
        this.write(place, effect(this.viewOf(place.lane, place.workspace)));
        void handled.put(key, place.position.sequence);
      }
      positions.advance(place.lane, place.position);
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

  private viewOf(lane: string, workspace: WorkspaceName): FoldView {
    return {
      saga: (rollback) => this.environment.sagas.get([lane, workspace, rollback]) ?? rollbackSaga.initialState,
      plan: (planHash) => this.plans.find(planHash),
      ownerOf: (operation) => this.history.ownerOf(workspace, operation),
    };
  }

  private write({ lane, workspace, position }: FoldPlace, { operations, failure, saga, outbox }: FoldEffect): void {
    for (const operation of operations ?? []) this.history.add(workspace, operation);
    if (failure) this.history.addFailure(workspace, failure);
    if (saga) {
      void this.environment.sagas.put([lane, workspace, saga.rollbackId], saga.state);
      this.plans.pin(saga.planHash, saga.rollbackId, saga.state.status === 'requested');
    }
    for (const event of outbox ?? [])
      void this.environment.outbox.put([lane, workspace, position.sequence, event.id], event);
  }
}
