import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { BlobHash } from '@retrace/contracts';
import { BlobMismatch, BlobSourceInvalid } from './blob-errors.js';
import type { SourceFile } from './blob-store.port.js';
import { assertMatches } from './sha256.js';

/** A FIFO put in the file's place must not be waited for, and a link may lead anywhere. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file that is to be adopted; what is looked at is what is read.
 *
 * Throws BlobSourceInvalid, BlobMismatch (size).
 */
export async function openSource({ hash, size, path }: SourceFile): Promise<FileHandle> {
  const handle = await open(path, FLAGS).catch((error: unknown) => {
    throw cannotOpen(hash, path, error);
  });
  try {
    assertRegular(await handle.stat(), { hash, size, path });
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Reads a small file whole, verified. At once: that takes less time than asking a thread.
 *
 * Throws BlobSourceInvalid, BlobMismatch.
 */
export function readSmallSource(source: SourceFile): Uint8Array {
  const { hash, size, path } = source;
  const fd = openNow(source);
  try {
    assertRegular(fstatSync(fd), source);
    const bytes = readUpTo(fd, size + 1);
    if (bytes.length !== size) throw new BlobMismatch(hash, `${path} changed its size`);
    assertMatches(hash, bytes);
    return bytes;
  } finally {
    closeSync(fd);
  }
}

function openNow({ hash, path }: SourceFile): number {
  try {
    return openSync(path, FLAGS);
  } catch (error) {
    throw cannotOpen(hash, path, error);
  }
}

function readUpTo(fd: number, limit: number): Uint8Array {
  const bytes = new Uint8Array(limit);
  let filled = 0;
  while (filled < limit) {
    const read = readSync(fd, bytes, filled, limit - filled, filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

function assertRegular(found: Stats, { hash, size, path }: SourceFile): void {
  if (!found.isFile()) throw new BlobSourceInvalid(hash, path, 'it is not a regular file');
  if (found.size !== size) throw new BlobMismatch(hash, `${path} has ${found.size} bytes, not ${size}`);
}

/** ELOOP: the last name is a link; ENXIO: a socket. Neither is a regular file. */
function cannotOpen(hash: BlobHash, path: string, error: unknown): BlobSourceInvalid {
  const code = (error as { code?: unknown } | null)?.code;
  const finding = code === 'ELOOP' || code === 'ENXIO' ? 'it is not a regular file' : 'it cannot be opened';
  return new BlobSourceInvalid(hash, path, finding, error);
}
