import {
  type EventEnvelope,
  type LogicalOperationId,
  PARTITIONS,
  type RestoreStep,
  type RollbackPlan,
} from '@retrace/contracts';
import { partsOf } from '../../domain/step-parts.js';
import { LmdbPositions, openEnvironment } from '@retrace/event-log';
import type { Database, RootDatabase } from 'lmdb';
import type { IndexedOperation } from '../../domain/operation-index.js';
import type { RollbackState } from '../../domain/rollback.saga.js';
import type { AbortPlan, PendingAbort } from '../../domain/pending-abort.js';
import type { FailedOperation } from '../../ports/operation-history.port.js';

/** Rows of a lane begin with its name: they are forgotten together. */
export type RowKey = [lane: string, workspace: string, ...rest: (string | number)[]];

export interface PlanRow {
  /** Without its steps. */
  readonly plan: RollbackPlan;
  readonly keptAt: number;
  /** How many parts its steps are kept in. */
  readonly parts: number;
}

/** What is folded changes shape with it: older folds are forgotten and made again from the log. */
export const FOLD_VERSION = 2;

/** The service's one LMDB environment and its tables. */
export class RollbackEnvironment {
  readonly root: RootDatabase;
  /** `…, path key, sequence, position` → the operation. */
  readonly operations: Database<IndexedOperation, RowKey>;
  /** `…, what it is selected by, sequence, position` → key of the operation; by time: `…, "time", ms, sequence, position`. */
  readonly selections: Database<RowKey, RowKey>;
  /** `…, operation id` → its logical operation. */
  readonly owners: Database<LogicalOperationId, RowKey>;
  /** `…, logical operation or session id` → what failed. */
  readonly failures: Database<FailedOperation, RowKey>;
  /** `…, event id`: folded. */
  readonly handled: Database<number, RowKey>;
  /** `…, rollback id` → its state. */
  readonly sagas: Database<RollbackState, RowKey>;
  /** `…, sequence of the cause, event id` → the event to publish. */
  readonly outbox: Database<EventEnvelope, RowKey>;
  /** `…, session id, number from 1` → the logical operation; `…, logical operation id` → its number. */
  readonly steps: Database<LogicalOperationId | number, RowKey>;
  /** `…, rollback id` → an aborted logical operation that is not planned yet. */
  readonly aborts: Database<PendingAbort, RowKey>;
  /** `rollback id` → the plan that takes the aborted logical operation back. Stays when folds are forgotten. */
  readonly abortPlans: Database<AbortPlan, string>;
  readonly plans: Database<PlanRow, string>;
  /** `plan hash, part from 0` → its steps. */
  readonly planSteps: Database<RestoreStep[], [planHash: string, part: number]>;
  /** `time kept, plan hash`: the order in which plans grow old. */
  readonly planAges: Database<number, [keptAt: number, planHash: string]>;
  /** `plan hash, rollback id`: an unfinished rollback needs the plan. */
  readonly planPins: Database<number, [planHash: string, rollbackId: string]>;
  readonly positions: LmdbPositions;
  private readonly meta: Database<number, string>;

  constructor(folder: string, durability: 'process' | 'power') {
    this.root = openEnvironment(folder, 'rollback', durability);
    this.operations = this.root.openDB({ name: 'operations' });
    this.selections = this.root.openDB({ name: 'selections' });
    this.owners = this.root.openDB({ name: 'owners' });
    this.failures = this.root.openDB({ name: 'failures' });
    this.handled = this.root.openDB({ name: 'handled' });
    this.sagas = this.root.openDB({ name: 'sagas' });
    this.outbox = this.root.openDB({ name: 'outbox' });
    this.steps = this.root.openDB({ name: 'steps' });
    this.aborts = this.root.openDB({ name: 'aborts' });
    this.abortPlans = this.root.openDB({ name: 'abort-plans' });
    this.planSteps = this.root.openDB({ name: 'plan-steps' });
    this.plans = this.root.openDB({ name: 'plans' });
    this.planAges = this.root.openDB({ name: 'plan-ages' });
    this.planPins = this.root.openDB({ name: 'plan-pins' });
    this.positions = new LmdbPositions(this.root.openDB({ name: 'positions' }));
    this.meta = this.root.openDB({ name: 'meta' });
    this.upgrade();
  }

  private upgrade(): void {
    if (this.meta.get('fold') === FOLD_VERSION) return;
    this.root.transactionSync(() => {
      for (let lane = 0; lane < PARTITIONS; lane++) {
        this.forgetLane(String(lane));
        this.positions.rewind(String(lane), undefined);
      }
      this.moveStepsOut();
      void this.meta.put('fold', FOLD_VERSION);
    });
  }

  /** Plans of before held their steps; rollbacks that run need them. */
  private moveStepsOut(): void {
    for (const { key, value } of Array.from(this.plans.getRange()))
      if (value.plan.steps.length > 0) this.putPlan(key, value.plan, value.keptAt);
  }

  /** Call inside a write transaction. */
  putPlan(planHash: string, { steps, ...plan }: RollbackPlan, keptAt: number): void {
    const parts = partsOf(steps);
    for (const [part, some] of parts.entries()) void this.planSteps.put([planHash, part], some);
    void this.plans.put(planHash, { plan: { ...plan, steps: [] }, keptAt, parts: parts.length });
  }

  /** Removes every folded row of a lane. Call inside a write transaction. */
  forgetLane(lane: string): void {
    const folded = [
      this.operations,
      this.selections,
      this.owners,
      this.failures,
      this.handled,
      this.sagas,
      this.outbox,
      this.steps,
      this.aborts,
    ] as readonly Database<unknown, RowKey>[];
    for (const table of folded)
      for (const key of Array.from(table.getKeys({ start: [lane, ''], end: [lane, '\uffff'] }))) void table.remove(key);
  }

  async close(): Promise<void> {
    await this.root.close();
  }
}
