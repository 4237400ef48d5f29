import { createCipheriv, createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { BlobErrorCode } from '../blob-errors.js';
import type { BlobStore, BlobStoreLimits } from '../blob-store.port.js';

/** A store under test, with what its adapter can do to it from outside. */
export interface BlobStoreUnderTest {
  readonly store: BlobStore;
  /** Closes the store and opens another on the same contents. */
  readonly reopen: () => Promise<BlobStore>;
  /** Flips a bit of what is kept, and answers the store to go on with: the same or a reopened one. */
  readonly corrupt?: (hash: string) => Promise<BlobStore>;
  /** Closes whatever is open and removes what the adapter made. */
  readonly dispose: () => Promise<void>;
}

export type BlobStoreFactory = (limits?: Partial<BlobStoreLimits>) => Promise<BlobStoreUnderTest>;

/** Hands out stores and files to one test, and clears them away after it. */
export class Bench {
  readonly #cleanups: (() => Promise<void>)[] = [];

  constructor(private readonly factory: BlobStoreFactory) {}

  async open(limits?: Partial<BlobStoreLimits>): Promise<BlobStoreUnderTest> {
    const subject = await this.factory(limits);
    this.#cleanups.push(() => subject.dispose());
    return subject;
  }

  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'blob-source-'));
    this.#cleanups.push(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  async clear(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0)) await cleanup();
  }
}

/** Makes bytes without a period, the same for the same seed. */
export function bytesOf(size: number, seed: string = 'seed'): Uint8Array {
  const key = createHash('sha256').update(seed).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
}

/** Compares without printing megabytes when it fails. */
export function expectSameBytes(actual: Uint8Array, expected: Uint8Array): void {
  expect(actual.length).toBe(expected.length);
  expect(Buffer.compare(actual, expected)).toBe(0);
}

export async function expectRefusal(attempt: Promise<unknown>, code: BlobErrorCode): Promise<void> {
  await expect(attempt).rejects.toMatchObject({ code });
}
