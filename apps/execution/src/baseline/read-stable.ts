import { createHash, type Hash } from 'node:crypto';
import { closeSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { BlobHashSchema, type FileState } from '@retrace/contracts';
import {
  isFsError,
  type Name,
  O,
  openAt,
  sameState,
  type Stat,
  type StatCache,
  statFd,
  viaNode,
} from '@retrace/workspace-fs';

const readLater = promisify(read);

/** Read at once up to this size: it takes less time than asking a thread. */
const AT_ONCE_BYTES = 256 * 1024;
/** Bytes hashed before others have their turn. */
const SLICE_BYTES = 1024 * 1024;
export const MOST_READS = 3;

const shared = Buffer.allocUnsafe(AT_ONCE_BYTES + 1);

/** `gone`: no regular file stands there any more. `restless`: it changed during each of {@link MOST_READS} reads. */
export type StableRead = { readonly state: FileState } | 'gone' | 'restless';

/**
 * Reads and hashes a regular file by its folder's handle, whole and unchanged meanwhile.
 * @throws SafeFsError where it cannot be opened or read
 */
export async function readStable(dirfd: number, name: Name, cache: StatCache): Promise<StableRead> {
  for (let reads = 0; reads < MOST_READS; reads++) {
    const found = await readOnce(dirfd, name, cache);
    if (found !== 'changed') return found;
  }
  return 'restless';
}

async function readOnce(dirfd: number, name: Name, cache: StatCache): Promise<StableRead | 'changed'> {
  const fd = openOrGone(dirfd, name);
  if (fd === undefined) return 'gone';
  try {
    const before = statFd(fd);
    if (!before.isFile) return 'gone';
    const hash = cache.lookup(before) ?? (await hashOf(fd, Number(before.size)).catch(asFsError));
    const after = statFd(fd);
    if (hash === undefined || !sameState(before, after)) return 'changed';
    cache.remember(after, hash);
    return { state: { kind: 'file', hash, size: Number(after.size), mode: permissionsOf(after) } };
  } finally {
    closeSync(fd);
  }
}

const asFsError = (error: unknown): never =>
  viaNode('read', '', () => {
    throw error;
  });

const permissionsOf = (stat: Stat): number => stat.mode & 0o7777;

/** Whatever took the file's place is not waited for: a FIFO's handle opens at once, and is closed again. */
function openOrGone(dirfd: number, name: Name): number | undefined {
  try {
    return openAt(dirfd, name, O.RDONLY);
  } catch (error) {
    if (isFsError(error, 'absent', 'link_refused')) return undefined;
    throw error;
  }
}

async function hashOf(fd: number, size: number) {
  const hash = createHash('sha256');
  const whole = size <= AT_ONCE_BYTES ? hashNow(fd, size, hash) : await hashInSlices(fd, size, hash);
  return whole ? BlobHashSchema.parse(hash.digest('hex')) : undefined;
}

function hashNow(fd: number, size: number, hash: Hash): boolean {
  let filled = 0;
  // One byte more than expected: so its growth shows.
  for (let got = 1; got > 0 && filled <= size; filled += got)
    got = readSync(fd, shared, filled, size + 1 - filled, filled);
  hash.update(shared.subarray(0, size));
  return filled === size;
}

async function hashInSlices(fd: number, size: number, hash: Hash): Promise<boolean> {
  const slice = Buffer.allocUnsafe(SLICE_BYTES);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await readLater(fd, slice, 0, SLICE_BYTES, done);
    if (bytesRead === 0) return false;
    hash.update(slice.subarray(0, bytesRead));
    done += bytesRead;
  }
  return done === size;
}
