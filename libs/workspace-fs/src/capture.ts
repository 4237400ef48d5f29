import { ABSENT, type BlobHash, type PathState } from '@retrace/contracts';
import { createHash, hash as hashOnce } from 'node:crypto';
import fs from 'node:fs';
import { readlinkFd } from './entries.js';
import { openIfThere, procPath, reopen, resolveIfThere, withHandle } from './handles.js';
import { O } from './libc.js';
import { utf8, type Name } from './names.js';
import { isFsError, SafeFsError, viaNode } from './safe-fs-error.js';
import { permissions, sameState, specialType, statFd, type Stat } from './stat.js';
import type { StatCache } from './stat-cache.js';

const CHUNK_BYTES = 256 * 1024;
const MOST_READS = 5;

export interface CaptureOptions {
  /** Files of at most this many bytes come with their content. Default: none do. */
  readContentUpTo?: number;
  cache?: StatCache;
}

/** `stat` is there unless the path is absent; `content` is there for small enough files. */
export interface Captured {
  state: PathState;
  stat?: Stat;
  content?: Buffer;
}

/** Ends a sha256 as a blob's name. */
export const toBlobHash = (hash: { digest(encoding: 'hex'): string }): BlobHash => hash.digest('hex') as BlobHash;
/** As {@link toBlobHash}, of content that is there as a whole. */
export const blobHashOf = (content: Uint8Array): BlobHash => hashOnce('sha256', content, 'hex') as BlobHash;

interface Reading {
  hash: BlobHash;
  bytes: bigint;
  content?: Buffer;
}

/** Nothing else runs while a file is read. */
const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

const readAt = (fd: number, position: bigint): Buffer =>
  chunk.subarray(
    0,
    viaNode('read', procPath(fd), () => fs.readSync(fd, chunk, 0, CHUNK_BYTES, Number(position))),
  );

/** Reads from the start to the end, or just beyond `upTo` bytes: a file that grows is not chased. */
function readAll(fd: number, upTo: bigint, keep: boolean): Reading {
  const first = readAt(fd, 0n);
  const bytes = BigInt(first.length);
  // All that was announced, in one call: the caller sees by the size whether there is more by now.
  if (bytes === upTo || bytes === 0n)
    return { hash: blobHashOf(first), bytes, ...(keep ? { content: Buffer.from(first) } : {}) };
  return readOn(fd, first, upTo, keep);
}

function readOn(fd: number, first: Buffer, upTo: bigint, keep: boolean): Reading {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let bytes = 0n;
  for (let part = first; part.length > 0; part = readAt(fd, bytes)) {
    hash.update(part);
    if (keep) kept.push(Buffer.from(part));
    bytes += BigInt(part.length);
    if (bytes > upTo) break;
  }
  return { hash: toBlobHash(hash), bytes, ...(keep ? { content: Buffer.concat(kept) } : {}) };
}

function captureFile(handle: number, looked: Stat, { readContentUpTo = -1, cache }: CaptureOptions): Captured {
  let stat = looked;
  const fileState = (hash: BlobHash): PathState => ({
    kind: 'file',
    hash,
    size: Number(stat.size),
    mode: permissions(stat),
  });
  const known = stat.size > readContentUpTo ? cache?.lookup(stat) : undefined;
  if (known !== undefined) return { state: fileState(known), stat };
  return withHandle(reopen(handle, O.RDONLY), (fd) => {
    for (let reads = 0; reads < MOST_READS; reads++) {
      const reading = readAll(fd, stat.size, stat.size <= readContentUpTo);
      const before = stat;
      stat = statFd(handle);
      if (reading.bytes !== stat.size || !sameState(before, stat)) continue;
      cache?.remember(stat, reading.hash);
      return { state: fileState(reading.hash), stat, ...(reading.content ? { content: reading.content } : {}) };
    }
    throw new SafeFsError('busy', 'capture');
  });
}

function captureLink(handle: number, stat: Stat): Captured {
  const bytes = readlinkFd(handle);
  const target = utf8(bytes);
  if (target === undefined) throw new SafeFsError('invalid_name', 'capture', 0, bytes.toString('latin1'));
  return { state: { kind: 'link', target }, stat };
}

/**
 * Captures the object of an O_PATH handle; FIFOs, sockets and devices are named and never opened.
 * @throws SafeFsError busy when a file kept changing; invalid_name for a link target that is not UTF-8
 */
export function captureHandle(handle: number, options: CaptureOptions = {}): Captured {
  const stat = statFd(handle);
  if (stat.isFile) return captureFile(handle, stat, options);
  if (stat.isFolder) return { state: { kind: 'directory', mode: permissions(stat) }, stat };
  if (stat.isLink) return captureLink(handle, stat);
  return { state: { kind: 'other', type: specialType(stat) }, stat };
}

/** Runs `use`; answers undefined where it found nothing. */
export function unlessAbsent<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    if (isFsError(error, 'absent')) return undefined;
    throw error;
  }
}

/** Captures one entry of a folder. */
export function captureAt({ dirfd, name }: { dirfd: number; name: Name }, options: CaptureOptions = {}): Captured {
  const handle = openIfThere(dirfd, name, O.PATH);
  return handle === undefined ? { state: ABSENT } : withHandle(handle, (fd) => captureHandle(fd, options));
}

/**
 * Captures what stands at a path, without following any link: what the last name is, absent when it or a folder
 * on the way does not exist.
 * @throws SafeFsError not_a_folder or link_refused when something else lies on the way; busy; invalid_name
 */
export function captureState(rootFd: number, relPath: string, options: CaptureOptions = {}): Captured {
  const at = resolveIfThere(rootFd, relPath);
  if (at === undefined) return { state: ABSENT };
  return withHandle(at.dirfd, () => captureAt(at, options));
}
