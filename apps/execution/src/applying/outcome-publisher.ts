import { rm } from 'node:fs/promises';
import type { AnyEventDefinition } from '@retrace/contracts';
import { appendOnce, type EventLog } from '@retrace/event-log';
import { failpoint } from '@retrace/platform';
import { Logger } from '@nestjs/common';
import type { DoneRecord, KeptContent } from '../journal/journal-record.js';
import type { ExecutionStore } from '../journal/execution-store.js';
import type { Blobs } from '../ports/blobs.port.js';
import type { Workspace } from '../workspaces/workspace.js';
import { stagingPath } from './stage-work.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

/**
 * Takes a workspace's outcomes to the log, one after another in the order of their authority, and their content to the
 * blob store. A record leaves the journal when the log has it and the blob store every pre-image.
 */
export class OutcomePublisher {
  private readonly logger = new Logger('execution');
  private tail: Promise<void> = Promise.resolve();
  private readonly storing = new Set<Promise<void>>();
  private readonly closed = new AbortController();

  constructor(
    private readonly workspace: Workspace,
    private readonly store: ExecutionStore,
    private readonly log: EventLog,
    private readonly blobs: Blobs,
  ) {}

  /** `again`: an earlier process may have published it, so the log is searched first. */
  enqueue(record: DoneRecord, again = false): void {
    // Stored, then named: the journal holds the content on the store's behalf until the store has it.
    const stored = this.untilStored(record);
    this.tail = this.tail.then(() => this.publish(record, again)).catch((error: unknown) => this.logger.error(error));
    const dropped = Promise.all([stored, this.tail])
      .then(() => this.release(record))
      .catch((error: unknown) => {
        if (!this.closed.signal.aborted) this.logger.error(error);
      })
      .finally(() => this.storing.delete(dropped));
    this.storing.add(dropped);
  }

  /** Resolves when everything enqueued so far is in the log. */
  settled(): Promise<void> {
    return this.tail;
  }

  /** Ends waiting for a bus that does not answer; the journal keeps what is not published. */
  async close(): Promise<void> {
    const all = Promise.allSettled([this.tail, ...this.storing]);
    const timer = setTimeout(() => this.closed.abort(), 5_000);
    await all;
    clearTimeout(timer);
  }

  private async publish(record: DoneRecord, again: boolean): Promise<void> {
    failpoint('publish.before-append');
    const sequence = again ? await this.search(record) : await this.first(record);
    failpoint('publish.after-ack');
    this.store.published(record, sequence);
  }

  private async first(record: DoneRecord): Promise<number> {
    try {
      const { sequence, duplicate } = await this.log.append<AnyEventDefinition>(record.outcome);
      if (duplicate) this.logger.warn(`${record.outcome.id} was in the log before its first publish`);
      return sequence;
    } catch (error) {
      this.logger.warn(`publish of ${record.outcome.id}: ${String(error)}; looking for it in the log`);
      return this.search(record);
    }
  }

  private search({ outcome, sequence }: DoneRecord): Promise<number> {
    return appendOnce(this.log, outcome, sequence, this.closed.signal);
  }

  private async untilStored(record: DoneRecord): Promise<void> {
    for (const content of record.kept) await this.storeOne(content);
  }

  private async storeOne(content: KeptContent): Promise<void> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      this.closed.signal.throwIfAborted();
      try {
        if (content.kind === 'inline') return await this.blobs.put(content.hash, content.bytes);
        return await this.blobs.adopt(
          content.hash,
          content.size,
          `${stagingPath(this.workspace)}/${content.stageName}`,
        );
      } catch (error) {
        this.logger.warn(`content ${content.hash.slice(0, 12)} waits for the blob store: ${String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, wait).unref());
      }
    }
  }

  /** Unlinking a large file takes long: not on the event loop. */
  private async release(record: DoneRecord): Promise<void> {
    failpoint('journal.before-drop');
    await Promise.all(
      record.staged.map((name) => rm(`${stagingPath(this.workspace)}/${name}`, { force: true, recursive: true })),
    );
    await this.store.drop(record);
  }
}
