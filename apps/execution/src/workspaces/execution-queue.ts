import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '@retrace/event-log';
import { Logger } from '@nestjs/common';
import type { Authority } from '../domain/authority.js';

/** An authority and its place in the log. */
export interface Given {
  readonly authority: Authority;
  readonly position: Position;
  /** Aborted when the reader goes back: what is not begun is then given again. */
  readonly signal?: AbortSignal | undefined;
}

/** Carries out as many from the front as go together, and answers how many; rejects where a retry helps. */
export type CarryOut = (given: readonly Given[]) => Promise<number>;

const MOST_QUEUED = 256;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 10_000;

/**
 * What a workspace was given to do, in the order of authority. It is taken before it is done, so that what has come
 * meanwhile is done together; nothing of it is lost, because the position in the log moves only with what is committed.
 */
export class ExecutionQueue {
  private readonly logger = new Logger('execution');
  private readonly moved = new EventEmitter().setMaxListeners(0);
  private waiting: Given[] = [];
  private running: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly carryOut: CarryOut) {}

  /** Resolves once it is queued. */
  async take(given: Given): Promise<void> {
    const { signal } = given;
    while (this.waiting.length >= MOST_QUEUED) await once(this.moved, 'moved', { ...(signal && { signal }) });
    signal?.throwIfAborted();
    if (this.closed) throw new Error('the executor is closed');
    this.waiting.push(given);
    this.running ??= this.run();
  }

  /** Resolves when all that was taken is committed, or given up: before that no later position may be. */
  async drained(): Promise<void> {
    while (this.running) await this.running;
  }

  /** Gives up what is not begun: it is read from the log again. */
  async close(): Promise<void> {
    this.closed = true;
    await this.drained();
  }

  private async run(): Promise<void> {
    // What arrives in the same turn comes along.
    await nextTurn();
    for (let failures = 0; this.dropGivenUp() > 0;) {
      try {
        this.waiting.splice(0, await this.carryOut(this.waiting));
        failures = 0;
      } catch (error) {
        await this.pause(error, ++failures);
      }
      this.moved.emit('moved');
    }
    this.running = undefined;
    this.moved.emit('moved');
  }

  /** Order comes before progress: behind one that was given up nothing is done. Answers how many are left. */
  private dropGivenUp(): number {
    const at = this.closed ? 0 : this.waiting.findIndex(({ signal }) => signal?.aborted);
    if (at >= 0) this.waiting.length = at;
    return this.waiting.length;
  }

  private async pause(why: unknown, failures: number): Promise<void> {
    const { authority, signal } = this.waiting[0]!;
    if (this.closed || signal?.aborted) return;
    this.logger.warn(`${authority.intentId} is tried again: ${String(why)}`);
    const wait = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
    await Promise.allSettled([sleep(wait, undefined, { ...(signal && { signal }), ref: false })]);
  }
}
