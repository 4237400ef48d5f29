import { setTimeout as sleep } from 'node:timers/promises';
import { appendOnce, type EventLog } from '@retrace/event-log';
import { failpoint } from '@retrace/platform/failpoint';
import type { Outbox, OutboxEntry } from '../ports/outbox.port.js';

const BATCH = 256;
const RETRY_MS = 1000;

/**
 * Publishes what the outbox holds. Each event is looked for in the log before it is published, from the event on that
 * caused it: an earlier try may have arrived without an answer, or before a crash.
 */
export class OutboxPublisher {
  private readonly closed = new AbortController();
  private running: Promise<void> | undefined;
  private again = false;

  constructor(
    private readonly outbox: Outbox,
    private readonly log: EventLog,
    private readonly onTrouble: (error: unknown, entry: OutboxEntry) => void,
  ) {}

  /** Begins to publish what waits, unless that is under way. Call it at the start and after each change. */
  kick(): void {
    this.again = true;
    if (this.closed.signal.aborted) return;
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      if (this.again) this.kick();
    });
  }

  /** Resolves when all that waited stands in the log. */
  async drained(): Promise<void> {
    while (this.running) await this.running;
  }

  /** Resolves when nothing is under way; what is left waits for the next start. */
  async close(): Promise<void> {
    this.closed.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.again && !this.closed.signal.aborted) {
      this.again = false;
      const entries = this.outbox.waiting(BATCH);
      let failed = 0;
      for (const entry of entries) if (!(await this.publish(entry))) failed++;
      if (failed < entries.length && entries.length === BATCH) this.again = true;
      if (failed > 0) await this.pause();
    }
  }

  /** One event that the log refuses must not hold up the others. */
  private async publish(entry: OutboxEntry): Promise<boolean> {
    if (this.closed.signal.aborted) return true;
    try {
      failpoint('outbox.before-append');
      await appendOnce(this.log, entry.event, entry.causedAt, this.closed.signal);
      failpoint('outbox.after-ack');
      this.outbox.published(entry);
      return true;
    } catch (error) {
      if (!this.closed.signal.aborted) this.onTrouble(error, entry);
      return false;
    }
  }

  private async pause(): Promise<void> {
    await sleep(RETRY_MS, undefined, { signal: this.closed.signal }).catch(() => undefined);
    this.again = true;
  }
}
