import { statSync } from 'node:fs';
import type { BlobHash } from '@retrace/contracts';
import { failpoint } from '@retrace/platform/failpoint';
import { GroupCommit } from '@retrace/platform/group-commit';
import { type Database, open, type RootDatabase } from 'lmdb';
import type { BlobStats, PutOutcome } from '../../blob-store.port.js';
import type { Durability } from './durability.js';

export interface IndexEntry {
  readonly hash: BlobHash;
  /** Verified, and nobody else's memory. */
  readonly content: Uint8Array;
}

/** The word on what the store holds: sizes of all blobs, contents of the small ones, in one LMDB file. */
export class BlobIndex {
  readonly #root: RootDatabase<number, string>;
  readonly #sizes: Database<number, string>;
  readonly #contents: Database<Uint8Array, string>;
  readonly #probes: Database<number, string>;
  readonly #ino: number;
  readonly #commits: GroupCommit;
  /** Found damaged by this process; a restart finds them again when they are read. */
  readonly #damaged = new Set<string>();
  #blobs = 0;
  #bytes = 0;

  private constructor(
    private readonly path: string,
    durability: Durability,
  ) {
    // Without overlappingSync a put resolves after its sync; with it, LMDB would say "committed" before.
    const sync = durability === 'power' ? { overlappingSync: false } : { noSync: true };
    // With eventTurnBatching a failed commit also rejects a promise inside LMDB's wrapper that nobody can handle.
    this.#root = open<number, string>({ path, noSubdir: true, maxDbs: 4, eventTurnBatching: false, ...sync });
    this.#sizes = this.#root.openDB<number, string>({ name: 'sizes', encoding: 'ordered-binary' });
    this.#contents = this.#root.openDB<Uint8Array, string>({ name: 'contents', encoding: 'binary' });
    this.#probes = this.#root.openDB<number, string>({ name: 'probes', encoding: 'ordered-binary' });
    this.#ino = statSync(path).ino;
    // Without a sync a transaction is over sooner than a thread is asked for one.
    this.#commits = new GroupCommit((work) =>
      durability === 'power' ? this.#root.transaction(work) : this.#root.transactionSync(work),
    );
  }

  static open(path: string, durability: Durability): BlobIndex {
    const index = new BlobIndex(path, durability);
    for (const { value } of index.#sizes.getRange()) index.#count(1, value);
    return index;
  }

  get stats(): BlobStats {
    return { blobs: this.#blobs, bytes: this.#bytes };
  }

  /** Answers whether a blob is there and not known to be damaged. */
  has(hash: BlobHash): boolean {
    return !this.#damaged.has(hash) && this.#sizes.doesExist(hash);
  }

  /** Answers the recorded size in bytes, of damaged blobs too. */
  sizeOf(hash: BlobHash): number | undefined {
    return this.#sizes.get(hash);
  }

  /** Answers the content where it is kept in the database. The bytes are a copy, not a window on the map. */
  contentOf(hash: BlobHash): Uint8Array | undefined {
    const content = this.#contents.get(hash);
    return content && new Uint8Array(content);
  }

  /** Notes what a complete check of the blob found; the newest word counts. */
  mark(hash: BlobHash, state: 'intact' | 'damaged'): void {
    if (state === 'damaged') this.#damaged.add(hash);
    else this.#damaged.delete(hash);
  }

  /** Makes a blob visible; resolves when that is committed. Without content, its file must be in place already. */
  async add(hash: BlobHash, size: number, content?: Uint8Array): Promise<PutOutcome> {
    if (this.#damaged.has(hash)) return this.#replace(hash, size, content);
    const done: { outcome: PutOutcome } = { outcome: 'present' };
    await this.#commits.commit(() => {
      done.outcome = this.#writeUnlessThere(hash, size, content);
    });
    failpoint('blob.after-commit');
    if (done.outcome === 'stored') this.#count(1, size);
    return done.outcome;
  }

  /** Makes many small blobs visible in one transaction: all of them or none. */
  async addAll(entries: readonly IndexEntry[]): Promise<PutOutcome[]> {
    let outcomes: PutOutcome[] = [];
    const write = (): boolean => {
      outcomes = entries.map(({ hash, content }) => this.#writeUnlessThere(hash, content.length, content));
      failpoint('blob.in-transaction');
      return true;
    };
    await committed(this.#root.transaction(write));
    entries.forEach(({ hash, content }, i) => {
      if (outcomes[i] === 'present') return;
      if (this.#damaged.delete(hash)) return;
      this.#count(1, content.length);
    });
    return outcomes;
  }

  #writeUnlessThere(hash: BlobHash, size: number, content: Uint8Array | undefined): PutOutcome {
    if (this.has(hash)) return 'present';
    this.#write(hash, size, content);
    return 'stored';
  }

  /** Whether the next start would open the file that is open now. */
  get inPlace(): boolean {
    try {
      return statSync(this.path).ino === this.#ino;
    } catch {
      return false;
    }
  }

  /** Commits a row, reads it back and removes it. Throws where it is not the same. */
  async probe(value: number): Promise<void> {
    await committed(this.#probes.put('probe', value));
    const back = this.#probes.get('probe');
    await committed(this.#probes.remove('probe'));
    if (back !== value) throw new Error(`the index answered ${back} for ${value}`);
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  async #replace(hash: BlobHash, size: number, content?: Uint8Array): Promise<PutOutcome> {
    const before = this.#sizes.get(hash) ?? 0;
    await committed(this.#sizes.batch(() => this.#write(hash, size, content)));
    if (this.#damaged.delete(hash)) this.#count(0, size - before);
    return 'stored';
  }

  #write(hash: BlobHash, size: number, content: Uint8Array | undefined): void {
    ignored(content ? this.#contents.put(hash, content) : this.#contents.remove(hash));
    ignored(this.#sizes.put(hash, size));
  }

  #count(blobs: number, bytes: number): void {
    this.#blobs += blobs;
    this.#bytes += bytes;
  }
}

/** Parts of a batch fail with the batch, whose promise is the one looked at; unhandled they would end the process. */
function ignored(part: Promise<boolean>): void {
  committed(part).catch(() => undefined);
}

/** LMDB tells of a failed commit in two promises; the second has the reason, and left alone would end the process. */
async function committed(commit: Promise<boolean>): Promise<boolean> {
  try {
    return await commit;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'commitError' in error) await error.commitError;
    throw error;
  }
}
