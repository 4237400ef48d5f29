import type { StoredEvent, WorkspaceName } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { isFolded } from '../domain/fold-event.js';
import type { StaleRow } from '../domain/rows.js';
import type { PolicyState } from './policy-state.js';

type OnStale = (workspace: WorkspaceName, row: StaleRow) => void;

/** Folds what the log's lanes bring, and passes on what was sent back for another decision. */
export class LogFolder {
  private onStale: OnStale | undefined;

  constructor(private readonly state: PolicyState) {}

  take(event: StoredEvent, { lane, position }: LaneDelivery): void {
    if (!isFolded(event)) return;
    for (const { table, value } of this.state.fold(event, lane, position))
      if (table === 'stale' && value) this.onStale?.(event.workspace, value);
  }

  /** From here on; what went stale before stands in the state. */
  passOnStale(onStale: OnStale): void {
    this.onStale = onStale;
  }
}
