import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyEventDefinition } from '@retrace/contracts';
import { appendOnce, type EventLog } from '@retrace/event-log';
import { failpoint } from '@retrace/platform';
import { dropStagedAside, spareStaged } from '@retrace/workspace-fs';
import { Logger } from '@nestjs/common';
import { Pace } from '../applying/pace.js';
import type { DoneRecord } from '../journal/journal-record.js';
import type { ExecutionStore } from '../journal/execution-store.js';
import type { Blobs } from '../ports/blobs.port.js';
import type { Workspace } from '../workspaces/workspace.js';
import { ContentKeeper } from './content-keeper.js';
import { unlessAborted } from './unless-aborted.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;
const CLOSE_MS = 5_000;
/** Records that wait for the log or the blob store: beyond, no new work is taken. */
const MOST_WAITING = 500;
const MOST_WAITING_BYTES = 64 * 1024 * 1024;

/** An outcome of more paths may be an event in pages, which has its place only when the last one is written. */
const MOST_PATHS_UNDER_WAY = 16;

/**
 * Takes a workspace's outcomes to the log, in the order of their authority, and their content to the blob store. Several
 * are on their way at a time: what one connection lost is the end of what was sent, and is sent again in order before
 * anything else. A record leaves the journal when the log has it and the blob store every pre-image.
 */
export class OutcomePublisher {
  private readonly logger = new Logger('execution');
  private readonly closed = new AbortController();
  private readonly keeper: ContentKeeper;
  private tail: Promise<void> = Promise.resolve();
  /** Outcomes that everything behind them waits for. */
  private halting = 0;
  private readonly waiting = new Set<Promise<void>>();
  private waitingBytes = 0;
  private readonly released = new EventEmitter();

  constructor(
    private readonly workspace: Workspace,
    private readonly store: ExecutionStore,
    private readonly log: EventLog,
    blobs: Blobs,
  ) {
    this.keeper = new ContentKeeper(workspace, blobs, this.closed.signal);
  }

  /** `again`: an earlier process may have published it, so the log is searched first. */
  enqueue(record: DoneRecord, again = false): void {
    const earlier = this.tail;
    const published = this.inOrder(record, again, earlier);
    const settled = published.catch((error: unknown) => this.unlessClosed(error));
    this.tail = Promise.all([earlier, settled]).then(() => undefined);
    const bytes = inlineBytes(record);
    this.waitingBytes += bytes;
    // Stored, then named: the journal holds the content on the store's behalf until the store has it.
    const done = Promise.all([published, this.keeper.untilStored(record)])
      .then(() => this.release(record))
      .catch((error: unknown) => this.unlessClosed(error))
      .finally(() => {
        this.waiting.delete(done);
        this.waitingBytes -= bytes;
        this.released.emit('released');
      });
    this.waiting.add(done);
  }

  /** Resolves when everything enqueued so far is in the log. */
  settled(signal?: AbortSignal): Promise<void> {
    return unlessAborted(this.tail, signal);
  }

  /** Resolves when more work can be taken: what waits for a log or blob store that is away stays bounded. */
  async room(signal?: AbortSignal): Promise<void> {
    while (this.waiting.size >= MOST_WAITING || this.waitingBytes >= MOST_WAITING_BYTES)
      await once(this.released, 'released', { ...(signal && { signal }) });
  }

  /** Ends waiting for a bus that does not answer; the journal keeps what is not published. */
  async close(waitMs = CLOSE_MS): Promise<void> {
    const timer = setTimeout(() => this.closed.abort(), waitMs);
    await Promise.allSettled([this.tail, ...this.waiting]);
    clearTimeout(timer);
    this.closed.abort();
  }

  private inOrder(record: DoneRecord, again: boolean, earlier: Promise<void>): Promise<void> {
    const alone = again || record.paths.length > MOST_PATHS_UNDER_WAY;
    if (!alone && this.halting === 0) return this.untilPublished(record, again, earlier);
    return this.halted(earlier.then(() => this.untilPublished(record, again, earlier)));
  }

  /** What is enqueued before this settles waits for it. */
  private async halted<T>(settling: Promise<T>): Promise<T> {
    this.halting += 1;
    try {
      return await settling;
    } finally {
      this.halting -= 1;
    }
  }

  /** Order and completeness come before progress: what the log refuses is offered again. */
  private async untilPublished(record: DoneRecord, again: boolean, earlier: Promise<void>): Promise<void> {
    this.closed.signal.throwIfAborted();
    try {
      return await this.publish(record, again);
    } catch (error) {
      this.closed.signal.throwIfAborted();
      this.logger.warn(`publish of ${record.outcome.id}: ${String(error)}; looking for it in the log`);
      return this.halted(earlier.then(() => this.publishedAgain(record)));
    }
  }

  private async publishedAgain(record: DoneRecord): Promise<void> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      this.closed.signal.throwIfAborted();
      try {
        return await this.publish(record, true);
      } catch (error) {
        this.closed.signal.throwIfAborted();
        this.logger.error(`${record.outcome.id} is not in the log: ${String(error)}`);
        await sleep(wait, undefined, { signal: this.closed.signal, ref: false });
      }
    }
  }

  private async publish(record: DoneRecord, again: boolean): Promise<void> {
    failpoint('publish.before-append');
    const sequence = again ? await this.search(record) : await this.first(record);
    failpoint('publish.after-ack');
    await this.store.published(record, sequence);
  }

  private async first(record: DoneRecord): Promise<number> {
    const { sequence, duplicate } = await this.log.append<AnyEventDefinition>(record.outcome);
    if (duplicate) this.logger.warn(`${record.outcome.id} was in the log before its first publish`);
    return sequence;
  }

  private search({ outcome, sequence }: DoneRecord): Promise<number> {
    return appendOnce(this.log, outcome, sequence, this.closed.signal);
  }

  /** The record goes first: a crash before the files go leaves them to the next start, never a record without them. */
  private async release(record: DoneRecord): Promise<void> {
    failpoint('journal.before-drop');
    await this.store.drop(record);
    failpoint('staging.before-drop');
    const pace = new Pace();
    for (const name of record.staged) {
      // Closed meanwhile: the next start sweeps the rest.
      if (this.closed.signal.aborted) return;
      await this.removeStaged(name);
      await pace.breathe();
    }
  }

  /** Unlinking a large file takes long: not on the event loop. A small one is gone sooner than a thread is asked. */
  private async removeStaged(name: string): Promise<void> {
    if (spareStaged(this.workspace.root, name)) return;
    await dropStagedAside(this.workspace.root, name);
  }

  private unlessClosed(error: unknown): void {
    if (!this.closed.signal.aborted) this.logger.error(error);
  }
}

const inlineBytes = ({ kept }: DoneRecord): number =>
  kept.reduce((sum, content) => sum + (content.kind === 'inline' ? content.bytes.length : 0), 0);
