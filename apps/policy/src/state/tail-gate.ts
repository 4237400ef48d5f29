import { setTimeout as sleep } from 'node:timers/promises';
import type { OtherTails } from '../ports/other-tails.port.js';

export interface TailPatience {
  /** Until nobody is believed to answer, in ms. */
  readonly giveUpMs: number;
  readonly retryMs: number;
}

/**
 * Keeps decisions off a log that lost its tail until execution has put its own back: what it published says what stands
 * on the disk.
 */
export class TailGate {
  private isWhole = false;
  private asking: Promise<boolean> | undefined;
  private round = new AbortController();

  /** `onWhole` is called when the log may hold more than was folded by now. */
  constructor(
    private readonly tails: OtherTails,
    private readonly patience: TailPatience,
    private readonly onWhole: () => void,
    private readonly stop: AbortSignal,
  ) {}

  /** The connection went: the broker may come back with less. */
  lost(): void {
    this.round.abort();
    this.round = new AbortController();
    this.isWhole = false;
    this.asking = undefined;
  }

  /** `true`: at once; else whether execution answered in time. Rejects when the service stops. */
  whole(): true | Promise<boolean> {
    return this.isWhole || (this.asking ??= this.ask(this.round.signal));
  }

  private async ask(round: AbortSignal): Promise<boolean> {
    const { giveUpMs, retryMs } = this.patience;
    for (const since = performance.now(); ;) {
      this.stop.throwIfAborted();
      const answered = await this.tails.whole().then(
        () => true,
        () => false,
      );
      // Lost again meanwhile: the answer may be of before.
      if (round.aborted) return this.whole();
      if (answered) return this.open();
      if (performance.now() - since > giveUpMs) {
        this.asking = undefined;
        return false;
      }
      await sleep(retryMs, undefined, { signal: this.stop });
    }
  }

  private open(): true {
    this.isWhole = true;
    this.onWhole();
    return true;
  }
}
