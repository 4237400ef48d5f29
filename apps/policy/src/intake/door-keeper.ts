import { failpoint } from '@retrace/platform/failpoint';
import type { IntentPurge } from '../ports/intent-purge.port.js';
import type { Watermark } from './watermark.js';

/** Removes answered intents now and then. What is not removed is read again at the next start and skipped. */
export class DoorKeeper {
  private timer: NodeJS.Timeout | undefined;
  private purged = 0;

  constructor(
    private readonly watermark: Watermark,
    private readonly purge: IntentPurge,
    private readonly everyMs: number,
  ) {}

  /** Something was answered. */
  answered(): void {
    this.timer ??= setTimeout(() => void this.sweep(), this.everyMs).unref();
  }

  /** The connection went: nothing is removed before the stream is read again. */
  pause(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.purged = 0;
    this.watermark.forgetLast();
  }

  private async sweep(): Promise<void> {
    const low = this.watermark.low();
    failpoint('door.before-purge');
    const done =
      low > this.purged &&
      (await this.purge.upTo(low).then(
        () => true,
        () => false,
      ));
    this.timer = undefined;
    if (!done) return;
    failpoint('door.after-purge');
    this.purged = low;
    // Answered meanwhile.
    if (this.watermark.low() > low) this.answered();
  }
}
