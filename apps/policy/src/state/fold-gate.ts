import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEnds } from '../ports/log-ends.port.js';
import type { PolicyState } from './policy-state.js';

const RETRY_MS = 100;

/**
 * Keeps decisions off a lane whose fold is incomplete or in doubt: at the start, after a rewind, after the connection was
 * lost. A lane is open once it is folded
 * to the end that the log had when it was closed.
 */
export class FoldGate {
  private readonly closed = new Map<
    string,
    { readonly caughtUp: Promise<unknown>; readonly superseded: AbortController }
  >();

  constructor(
    private readonly state: PolicyState,
    private readonly ends: LogEnds,
    private readonly stop: AbortSignal,
    /** Until nothing of what policy itself published is missing in the log; `undefined`: so it is now. */
    private readonly whole: () => Promise<void> | undefined = () => undefined,
  ) {}

  isOpen(lane: string): boolean {
    return !this.closed.has(lane);
  }

  close(lane: string): void {
    this.closed.get(lane)?.superseded.abort();
    const superseded = new AbortController();
    const signal = AbortSignal.any([superseded.signal, this.stop]);
    const caughtUp = this.verified(lane, signal)
      .then(() => this.catchUp(lane, signal))
      .then(() => superseded.signal.aborted || this.closed.delete(lane))
      .catch(() => undefined);
    this.closed.set(lane, { caughtUp, superseded });
  }

  /** Resolves when the lane is open; rejects when the service stops. */
  async open(lane: string): Promise<void> {
    for (let gate = this.closed.get(lane); gate; gate = this.closed.get(lane)) {
      this.stop.throwIfAborted();
      await gate.caughtUp;
    }
  }

  /** Resolves once everything that stands in the log for a lane now is folded. */
  async catchUp(lane: string, signal: AbortSignal): Promise<void> {
    const newest = await this.ask(() => this.ends.newest(lane), signal);
    await this.state.folded(lane, newest, signal);
  }

  /** Where the log lost what is folded, it is put back, or the lane goes back, which closes the gate anew. */
  private async verified(lane: string, signal: AbortSignal): Promise<void> {
    for (let whole = this.whole(); whole; whole = this.whole()) await whole;
    for (;;) {
      const position = this.state.position(lane);
      if (!position || (await this.ask(() => this.ends.stands(position), signal))) return;
      await sleep(RETRY_MS, undefined, { signal, ref: false });
    }
  }

  private async ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await question();
      } catch {
        // No answer, no end: deciding meanwhile would be deciding blindly.
        await sleep(RETRY_MS, undefined, { signal });
      }
    }
  }
}
