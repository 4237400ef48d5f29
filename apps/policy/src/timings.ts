/** How long policy waits for others; in ms. */
export interface PolicyTimings {
  /** For content that was not uploaded yet, from the arrival of the intent. */
  readonly blobWaitMs: number;
  /** Until intents that need facts let others pass. */
  readonly factsParkMs: number;
  /** Until they are denied. */
  readonly factsGiveUpMs: number;
  /** For work in flight to end where it decides what a recursive operation reaches. */
  readonly quietGiveUpMs: number;
  /** For the parts of a logical operation to have their outcomes, before its end is denied. */
  readonly partsGiveUpMs: number;
  /** Between two tries. */
  readonly retryMs: number;
  /** Between two purges of the agents' door, at least. */
  readonly purgeEveryMs: number;
  /** Undecided intents held; more wait in the stream. */
  readonly maxHeld: number;
  /** Waiting intents of one principal in one workspace, once `maxHeld` are held; more are denied. */
  readonly maxHeldEach: number;
}

export const DEFAULT_TIMINGS: PolicyTimings = {
  blobWaitMs: 30_000,
  factsParkMs: 5_000,
  factsGiveUpMs: 60_000,
  quietGiveUpMs: 30_000,
  partsGiveUpMs: 60_000,
  retryMs: 250,
  purgeEveryMs: 250,
  maxHeld: 5_000,
  maxHeldEach: 512,
};
