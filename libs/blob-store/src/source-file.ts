import { lstat } from 'node:fs/promises';
import type { BlobHash } from '@retrace/contracts';
import { BlobMismatch, BlobSourceInvalid } from './blob-errors.js';

/**
 * Looks at a file that is to be adopted before any of it is read: a FIFO would never end, a link may lead anywhere.
 *
 * Throws BlobSourceInvalid, BlobMismatch (size).
 */
export async function assertSourceFile(hash: BlobHash, size: number, path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    throw new BlobSourceInvalid(hash, path, 'it cannot be looked at', error);
  });
  if (!found.isFile()) throw new BlobSourceInvalid(hash, path, 'it is not a regular file');
  if (found.size !== size) throw new BlobMismatch(hash, `${path} has ${found.size} bytes, not ${size}`);
}
