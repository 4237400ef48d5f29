import type { BlobHash } from '@retrace/contracts';
import { BlobRangeInvalid, BlobTooLarge } from './blob-errors.js';

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Throws BlobRangeInvalid unless the value is a count of bytes. */
export function assertByteCount(hash: BlobHash, what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new BlobRangeInvalid(hash, `${what} (${value})`);
}

/** Throws BlobRangeInvalid or BlobTooLarge unless a content of this size may be stored. */
export function assertSize(hash: BlobHash, size: number, limit: number): void {
  assertByteCount(hash, 'size', size);
  if (size > limit) throw new BlobTooLarge(hash, size, limit);
}

/** Cuts a range to what the content has, so that nobody's `length` decides how much is allocated. */
export function clampRange(hash: BlobHash, size: number, range: ByteRange): ByteRange {
  assertByteCount(hash, 'offset', range.offset);
  assertByteCount(hash, 'length', range.length);
  const offset = Math.min(range.offset, size);
  return { offset, length: Math.min(range.length, size - offset) };
}
