/** Where the log ends for policy. */
export abstract class LogEnds {
  /** The sequence of the newest event of a lane that policy folds; 0: none. */
  abstract newest(lane: string): Promise<number>;
}
