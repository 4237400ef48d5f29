import { closeSync, readSync, writeSync } from 'node:fs';
import { type BlobHash, BlobHashSchema, type FileState, RetraceError } from '@retrace/contracts';
import { createHash } from 'node:crypto';
import {
  dropStaged,
  isFsError,
  O,
  openAt,
  openStaged,
  resolveBeneath,
  SafeFsError,
  withHandle,
} from '@retrace/workspace-fs';
import type { Blobs } from '../ports/blobs.port.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { Present } from './simulated-tree.js';

/** Content up to this size is held in memory on its way into staging. */
const IN_MEMORY_BYTES = 8 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

interface Blob {
  readonly hash: BlobHash;
  readonly size: number;
}

/** New content that no blob holds yet: made here. */
export type NewContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'copied'; readonly of: Present }
  | { readonly kind: 'appended'; readonly to: Present; readonly blob: Blob };

/** Bytes that can be read more than once. */
export interface Source {
  readonly read: () => Iterable<Uint8Array>;
  readonly close: () => void;
}

const nothing = (): void => undefined;

export const fromMemory = (content: Uint8Array): Source => ({ read: () => [content], close: nothing });

export const fromStaging = ({ root }: Workspace, stageName: string): Source => ({
  read: () => chunksOf(() => openStaged(root, stageName)),
  close: nothing,
});

/** What stands at a path; links are not followed. */
export const fromPath = (workspace: Workspace, path: string): Source => ({
  read: () => chunksOf(() => openPath(workspace, path)),
  close: nothing,
});

/** The bytes of a file that stands there, or will: from the disk where they lie on it, else from the blob store. */
export async function fromPresent(workspace: Workspace, spool: string, of: Present, blobs: Blobs): Promise<Source> {
  if (of.content) return fromMemory(of.content);
  if (of.heldAt !== undefined) return fromPath(workspace, of.heldAt);
  if (of.state.kind !== 'file') return fromMemory(new Uint8Array());
  return fromStore(workspace, spool, of.state, blobs);
}

/** The bytes of a new file. `spool`: a name in staging that is free. */
export async function sourceOf(
  workspace: Workspace,
  spool: string,
  content: NewContent | undefined,
  to: Blob,
  blobs: Blobs,
): Promise<Source> {
  switch (content?.kind) {
    case undefined:
      return fromStore(workspace, spool, to, blobs);
    case 'bytes':
      return fromMemory(content.bytes);
    case 'copied':
      return fromPresent(workspace, spool, content.of, blobs);
    case 'appended':
      return appended(
        await fromPresent(workspace, spool, content.to, blobs),
        await fromStore(workspace, `${spool}-end`, content.blob, blobs),
      );
  }
}

function appended(first: Source, second: Source): Source {
  return {
    *read() {
      yield* first.read();
      yield* second.read();
    },
    close() {
      first.close();
      second.close();
    },
  };
}

/** Content from the blob store; large content goes through a spool file, so that memory stays bounded. */
export async function fromStore(
  { root }: Workspace,
  spool: string,
  { hash, size }: Blob,
  blobs: Blobs,
): Promise<Source> {
  if (size <= IN_MEMORY_BYTES) return fromMemory(await blobs.get(hash, size));
  const close = (): void => dropStaged(root, spool);
  close();
  try {
    await pour(blobs.stream(hash, size), openAt(root.stagingFd, spool, O.WRONLY | O.CREAT | O.EXCL));
    return { read: () => chunksOf(() => openStaged(root, spool)), close };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Hashes a blob's bytes behind those of a file, without holding either whole. Rejects with `blob_mismatch` where the
 * blob is not what was announced.
 */
export async function hashAppended(
  workspace: Workspace,
  to: Present,
  blob: Blob,
  blobs: Blobs,
): Promise<Pick<FileState, 'hash' | 'size'>> {
  const [whole, own] = [createHash('sha256'), createHash('sha256')];
  let size = blob.size;
  for await (const chunk of presentChunks(workspace, to, blobs)) {
    whole.update(chunk);
    size += chunk.length;
  }
  for await (const chunk of blobs.stream(blob.hash, blob.size)) {
    whole.update(chunk);
    own.update(chunk);
  }
  if (own.digest('hex') !== blob.hash)
    throw new RetraceError('blob_mismatch', `the content is not the ${blob.size} bytes that were announced`);
  return { hash: BlobHashSchema.parse(whole.digest('hex')), size };
}

async function* presentChunks(
  workspace: Workspace,
  { content, heldAt, state }: Present,
  blobs: Blobs,
): AsyncIterable<Uint8Array> {
  if (content) yield content;
  else if (heldAt !== undefined) yield* fromPath(workspace, heldAt).read();
  else if (state.kind === 'file') yield* blobs.stream(state.hash, state.size);
}

async function pour(chunks: AsyncIterable<Uint8Array>, fd: number): Promise<void> {
  try {
    for await (const chunk of chunks) writeWhole(fd, chunk);
  } finally {
    closeSync(fd);
  }
}

function writeWhole(fd: number, chunk: Uint8Array): void {
  try {
    for (let written = 0; written < chunk.length;) written += writeSync(fd, chunk, written);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new SafeFsError('no_space', 'spool');
    throw error;
  }
}

function openPath({ root }: Workspace, path: string): number {
  const { dirfd, name } = resolveBeneath(root.rootFd, path);
  return withHandle(dirfd, () => openAt(dirfd, name, O.RDONLY));
}

/** Each chunk is good until the next one is asked for. */
function* chunksOf(open: () => number): Iterable<Uint8Array> {
  const fd = open();
  try {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) yield chunk.subarray(0, read);
  } finally {
    closeSync(fd);
  }
}

/** The first bytes of what stands at a path; none where it cannot be read. */
export function firstBytes(workspace: Workspace, path: string, count: number): Uint8Array {
  try {
    for (const chunk of fromPath(workspace, path).read()) return chunk.slice(0, count);
  } catch (error) {
    if (!isFsError(error)) throw error;
  }
  return new Uint8Array();
}
