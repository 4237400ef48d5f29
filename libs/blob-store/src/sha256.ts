import { createHash } from 'node:crypto';
import type { BlobHash } from '@retrace/contracts';
import { BlobCorrupt, BlobMismatch } from './blob-errors.js';

/** Names content: its sha256 in lower-case hex. */
export function blobHashOf(content: Uint8Array): BlobHash {
  return createHash('sha256').update(content).digest('hex') as BlobHash;
}

/** Throws BlobMismatch unless the content to be stored has the hash. */
export function assertMatches(hash: BlobHash, content: Uint8Array): void {
  const actual = blobHashOf(content);
  if (actual !== hash) throw new BlobMismatch(hash, `the content's sha256 is ${actual}`);
}

/** Throws BlobCorrupt unless the stored content has the hash. */
export function assertIntact(hash: BlobHash, content: Uint8Array): void {
  const actual = blobHashOf(content);
  if (actual !== hash) throw new BlobCorrupt(hash, `its bytes have the sha256 ${actual}`);
}
