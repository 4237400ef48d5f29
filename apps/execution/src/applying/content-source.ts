import { closeSync, readSync, writeSync } from 'node:fs';
import type { FileState } from '@retrace/contracts';
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

/** Content up to this size is held in memory on its way into staging. */
const IN_MEMORY_BYTES = 8 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

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

/** Content from the blob store; large content goes through a spool file, so that memory stays bounded. */
export async function fromStore(
  { root }: Workspace,
  spool: string,
  { hash, size }: Pick<FileState, 'hash' | 'size'>,
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
