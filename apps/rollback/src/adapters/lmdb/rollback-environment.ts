import type { EventEnvelope, LogicalOperationId, RollbackPlan } from '@retrace/contracts';
import { LmdbPositions, openEnvironment } from '@retrace/event-log';
import type { Database, RootDatabase } from 'lmdb';
import type { IndexedOperation } from '../../domain/operation-index.js';
import type { RollbackState } from '../../domain/rollback.saga.js';
import type { FailedOperation } from '../../ports/operation-history.port.js';

/** Rows of a lane begin with its name: they are forgotten together. */
export type RowKey = [lane: string, workspace: string, ...rest: (string | number)[]];

export interface PlanRow {
  readonly plan: RollbackPlan;
  readonly keptAt: number;
}

/** The service's one LMDB environment and its tables. */
export class RollbackEnvironment {
  readonly root: RootDatabase;
  /** `…, path key, sequence, position` → the operation. */
  readonly operations: Database<IndexedOperation, RowKey>;
  /** `…, operation, logical operation or session id, sequence, position` → key of the operation. */
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
  readonly plans: Database<PlanRow, string>;
  /** `time kept, plan hash`: the order in which plans grow old. */
  readonly planAges: Database<number, [keptAt: number, planHash: string]>;
  /** `plan hash, rollback id`: an unfinished rollback needs the plan. */
  readonly planPins: Database<number, [planHash: string, rollbackId: string]>;
  readonly positions: LmdbPositions;

  constructor(folder: string, durability: 'process' | 'power') {
    this.root = openEnvironment(folder, 'rollback', durability);
    this.operations = this.root.openDB({ name: 'operations' });
    this.selections = this.root.openDB({ name: 'selections' });
    this.owners = this.root.openDB({ name: 'owners' });
    this.failures = this.root.openDB({ name: 'failures' });
    this.handled = this.root.openDB({ name: 'handled' });
    this.sagas = this.root.openDB({ name: 'sagas' });
    this.outbox = this.root.openDB({ name: 'outbox' });
    this.plans = this.root.openDB({ name: 'plans' });
    this.planAges = this.root.openDB({ name: 'plan-ages' });
    this.planPins = this.root.openDB({ name: 'plan-pins' });
    this.positions = new LmdbPositions(this.root.openDB({ name: 'positions' }));
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
    ] as readonly Database<unknown, RowKey>[];
    for (const table of folded)
      for (const key of Array.from(table.getKeys({ start: [lane, ''], end: [lane, '\uffff'] }))) void table.remove(key);
  }

  async close(): Promise<void> {
    await this.root.close();
  }
}
