/** What the log itself says about its lanes. */
export interface LaneEnds {
  /** The newest sequence of the log, over all lanes. */
  last(): Promise<number>;
  /** The newest sequence of one lane; 0 where it has none. */
  newestIn(lane: string): Promise<number>;
}
