/** Removes answered intents from the agents' door. */
export abstract class IntentPurge {
  /** Removes everything up to and including a sequence. */
  abstract upTo(sequence: number): Promise<void>;
}
