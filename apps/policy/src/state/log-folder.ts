import type { LogicalOperationId, StoredEvent, WorkspaceName } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { isFolded } from '../domain/fold-event.js';
import type { LogicalOperationRow, StaleRow } from '../domain/rows.js';
import type { PolicyState } from './policy-state.js';

type OnStale = (workspace: WorkspaceName, row: StaleRow) => void;
type OnOperation = (workspace: WorkspaceName, id: LogicalOperationId, row: LogicalOperationRow | undefined) => void;

/** Folds what the log's lanes bring, and passes on what was sent back for another decision, and what has a deadline. */
export class LogFolder {
  private onStale: OnStale | undefined;
  private onOperation: OnOperation | undefined;

  constructor(private readonly state: PolicyState) {}

  take(event: StoredEvent, { lane, position }: LaneDelivery): void {
    if (!isFolded(event)) return;
    for (const { table, key, value } of this.state.fold(event, lane, position))
      if (table === 'stale' && value) this.onStale?.(event.workspace, value);
      else if (table === 'logical_operation') this.onOperation?.(event.workspace, key[1] as LogicalOperationId, value);
  }

  /** From here on; what happened before stands in the state. */
  passOn(onStale: OnStale, onOperation: OnOperation): void {
    this.onStale = onStale;
    this.onOperation = onOperation;
  }
}
