import type { Outbox, OutboxEntry } from '../../ports/outbox.port.js';
import type { RollbackEnvironment } from './rollback-environment.js';

/** Unpublished events in LMDB. */
export class LmdbOutbox implements Outbox {
  constructor(private readonly environment: RollbackEnvironment) {}

  waiting(limit: number): OutboxEntry[] {
    return [...this.environment.outbox.getRange({ limit })].map(({ key, value }) => ({
      lane: key[0],
      causedAt: Number(key[2]),
      event: value,
    }));
  }

  published({ lane, causedAt, event }: OutboxEntry): void {
    this.environment.root.transactionSync(() => {
      void this.environment.outbox.remove([lane, event.workspace, causedAt, event.id]);
    });
  }
}
