import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEnds } from '../ports/log-ends.port.js';
import type { PolicyState } from './policy-state.js';

const RETRY_MS = 250;

/**
 * Keeps decisions off a lane whose fold is incomplete: at the start, and after a rewind. A lane is open once it is folded
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
  ) {}

  isOpen(lane: string): boolean {
    return !this.closed.has(lane);
  }

  close(lane: string): void {
    this.closed.get(lane)?.superseded.abort();
    const superseded = new AbortController();
    const signal = AbortSignal.any([superseded.signal, this.stop]);
    const caughtUp = this.catchUp(lane, signal)
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
    await this.state.folded(lane, await this.newest(lane, signal), signal);
  }

  private async newest(lane: string, signal: AbortSignal): Promise<number> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await this.ends.newest(lane);
      } catch {
        // No answer, no end: deciding meanwhile would be deciding blindly.
        await sleep(RETRY_MS, undefined, { signal });
      }
    }
  }
}
