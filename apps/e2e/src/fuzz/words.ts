/** What generated messages may name so that some of them mean something: by the name of the field. */
export interface FuzzWords {
  readonly of: Readonly<Record<string, readonly unknown[]>>;
  /** Contents that were uploaded, by hash. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}
