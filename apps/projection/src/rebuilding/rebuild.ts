import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '@retrace/event-log';
import { failpoint } from '@retrace/platform/failpoint';
import type { ReadModelStore } from '@retrace/read-models';
import { Generation, type LogAccess } from '../folding/generation.js';
import type { LiveView } from './live-view.js';

export interface RebuildStatus {
  readonly status: 'running' | 'done' | 'failed';
  readonly sequence: number;
  readonly last_sequence: number;
  readonly message: string | null;
}

/** Messages that it may be behind when folding into the present one stops, so that it can be overtaken. */
const NEAR = 256;
const CATCH_UP_MS = 30_000;
const LOOK_MS = 200;
const RESUME_MS = 1_000;

/** Folds the log into an empty database beside the running one, and lets it take its place. */
export class Rebuild {
  private running: Promise<void> | undefined;
  private next: Generation | undefined;
  private result: Omit<RebuildStatus, 'last_sequence'> | undefined;
  private readonly closing = new AbortController();

  constructor(
    private readonly live: LiveView,
    private readonly store: ReadModelStore,
    private readonly access: LogAccess,
    private readonly log: Pick<EventLog, 'lastSequence'>,
  ) {}

  /** One at a time: answers whether this call began one. */
  start(): boolean {
    if (this.running || this.closing.signal.aborted) return false;
    this.result = undefined;
    this.running = this.run().finally(() => {
      this.running = undefined;
    });
    return true;
  }

  /** Resolves when none runs. */
  async ended(): Promise<void> {
    await this.running;
  }

  /** How far it is, or how the last one since the start ended; `null`: none was asked for. */
  async status(): Promise<RebuildStatus | null> {
    if (!this.running && !this.result) return null;
    const last_sequence = await this.log.lastSequence();
    if (!this.running && this.result) return { ...this.result, last_sequence };
    return { status: 'running', sequence: this.next?.progress.newest() ?? 0, last_sequence, message: null };
  }

  /** What is half built stays behind, and goes at the next start. */
  async close(): Promise<void> {
    this.closing.abort();
    this.next?.progress.endWaiting();
    await this.ended();
  }

  private async run(): Promise<void> {
    try {
      this.next = await this.openNext();
      failpoint('rebuild.before-folding');
      await this.next.start();
      const before = await this.takeOver(this.next);
      this.result = { status: 'done', sequence: this.next.progress.newest(), message: null };
      this.next = undefined;
      failpoint('rebuild.before-drop');
      await this.remove(before);
    } catch (error) {
      await this.giveUp(error);
    }
  }

  private async openNext(): Promise<Generation> {
    const opened = await this.store.openNext();
    try {
      return await Generation.open(opened, this.access);
    } catch (error) {
      await this.drop(opened.number);
      throw error;
    }
  }

  private async takeOver(next: Generation): Promise<Generation> {
    const { current, progress } = this.live;
    await this.near(next);
    // Both read the same log: only one that stands still can be caught up with for certain.
    await current.stop();
    try {
      if (!(await next.progress.until(() => next.progress.covers(progress), CATCH_UP_MS)))
        throw new Error(`it did not catch up with ${progress.newest()} within ${CATCH_UP_MS / 1000} s`);
      this.closing.signal.throwIfAborted();
      failpoint('rebuild.before-switch');
      await this.store.makeCurrent(next.number);
      failpoint('rebuild.after-switch');
      return this.live.switchTo(next);
    } catch (error) {
      await this.resume(current);
      throw error;
    }
  }

  /** Without the bus reading cannot begin: it is tried until it can. */
  private async resume(current: Generation): Promise<void> {
    while (!this.closing.signal.aborted) {
      try {
        return await current.start();
      } catch (error) {
        this.access.onTrouble('rebuild', error);
        await current.stop();
        await sleep(RESUME_MS);
      }
    }
  }

  private async near(next: Generation): Promise<void> {
    const isNear = (): boolean => this.live.progress.total() - next.progress.total() <= NEAR;
    while (!(await next.progress.until(isNear, LOOK_MS))) this.closing.signal.throwIfAborted();
  }

  private async giveUp(error: unknown): Promise<void> {
    const { next } = this;
    this.next = undefined;
    this.result = { status: 'failed', sequence: next?.progress.newest() ?? 0, message: (error as Error).message };
    if (!this.closing.signal.aborted) this.access.onTrouble('rebuild', error);
    if (next) await this.remove(next);
  }

  private async remove(generation: Generation): Promise<void> {
    try {
      await generation.close();
    } catch (error) {
      return this.access.onTrouble('rebuild', error);
    }
    await this.drop(generation.number);
  }

  /** What cannot be removed now goes at the next start. */
  private async drop(number: number): Promise<void> {
    try {
      await this.store.drop(number);
    } catch (error) {
      this.access.onTrouble('rebuild', error);
    }
  }
}
