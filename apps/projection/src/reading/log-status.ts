import type { EventLog } from '@retrace/event-log';
import type { Progress } from '../folding/progress.js';

export interface Standing {
  /** The newest folded event; lanes that lag behind it show in `lag`. */
  readonly sequence: number;
  readonly last_sequence: number;
  readonly lag: number;
}

/** Compares the read models with the log. */
export class LogStatus {
  constructor(
    private readonly progress: Progress,
    private readonly log: Pick<EventLog, 'lastSequence'>,
  ) {}

  /** Nothing is ever deleted from the log: it holds as many events as its last sequence says. */
  async now(): Promise<Standing> {
    const last = await this.log.lastSequence();
    const sequence = this.progress.newest();
    // Folded from a log that went on where this one ends: it is waited for, or read anew from its beginning.
    const lag = sequence > last ? last : Math.max(0, last - this.progress.total());
    return { sequence, last_sequence: last, lag };
  }
}
