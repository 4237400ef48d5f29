import type { BlobHash } from '@retrace/contracts';
import { isSettled, type Stat } from './stat.js';

type Entry = Pick<Stat, 'size' | 'mtimeNs' | 'ctimeNs'> & { hash: BlobHash };

const keyOf = (stat: Stat): string => `${stat.dev}:${stat.ino}`;
const DEFAULT_ENTRIES = 50_000;

/**
 * Remembers content hashes by (device, inode, size, mtime, ctime); the entry used longest ago goes first.
 * A file written less than 2 s before the look may change again within the same mtime, so it is never remembered.
 */
export class StatCache {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly capacity = DEFAULT_ENTRIES) {}

  get size(): number {
    return this.#entries.size;
  }

  /** Stores what was hashed; `stat` is from after the reading and `stat.atNs` counts as the time of storing. */
  remember(stat: Stat, hash: BlobHash): void {
    const key = keyOf(stat);
    this.#entries.delete(key);
    if (!isSettled(stat)) return;
    this.#entries.set(key, { size: stat.size, mtimeNs: stat.mtimeNs, ctimeNs: stat.ctimeNs, hash });
    if (this.#entries.size <= this.capacity) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }

  /** Answers the hash, or undefined when in doubt: then hash. */
  lookup(stat: Stat): BlobHash | undefined {
    const key = keyOf(stat);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.size !== stat.size || entry.mtimeNs !== stat.mtimeNs || entry.ctimeNs !== stat.ctimeNs) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.hash;
  }
}
