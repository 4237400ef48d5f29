import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Longer than a tick of any kernel's file clock: within one tick a second change leaves the same times. */
const SETTLED_MS = 50;

/** A file as far as the file system tells contents apart without reading them. */
export interface FileIdentity {
  readonly key: string;
  /** Whether any later change is bound to show in the key. In doubt no: the price is hashing once more. */
  readonly settled: boolean;
}

export async function identify(handle: FileHandle): Promise<FileIdentity> {
  const stats = await handle.stat({ bigint: true });
  return { key: keyOf(stats), settled: Date.now() - Number(stats.ctimeMs) > SETTLED_MS };
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/** Remembers a bounded number of files whose hash was checked, the least recently read leaving first. */
export class VerifiedIdentities {
  readonly #known = new Map<string, string>();

  constructor(private readonly limit: number) {}

  has(hash: string, identity: FileIdentity): boolean {
    if (this.#known.get(hash) !== identity.key) return false;
    this.#remember(hash, identity.key);
    return true;
  }

  /** Takes note of a file that was hashed after it was identified. */
  add(hash: string, identity: FileIdentity): void {
    if (identity.settled) this.#remember(hash, identity.key);
  }

  forget(hash: string): void {
    this.#known.delete(hash);
  }

  #remember(hash: string, key: string): void {
    this.#known.delete(hash);
    this.#known.set(hash, key);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.limit) return;
      this.#known.delete(oldest);
    }
  }
}
