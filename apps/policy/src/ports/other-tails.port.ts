/** What others published, as far as decisions rest on it. */
export abstract class OtherTails {
  /** Resolves when nothing of it is missing in the log; rejects where nobody says so. Asking again is safe. */
  abstract whole(): Promise<void>;
}
