import type { Position } from '@retrace/event-log';

/** What the log itself says about how far it goes. Rejects where it does not answer. */
export abstract class LogEnds {
  /** The sequence of the newest event of a lane that policy folds; 0: none. */
  abstract newest(lane: string): Promise<number>;
  /** Whether the event that a position names still stands where it stood. */
  abstract stands(position: Position): Promise<boolean>;
}
