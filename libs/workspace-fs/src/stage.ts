import { samePathState, type FileState } from '@retrace/contracts';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { toBlobHash } from './capture.js';
import type { WorkspaceRoot } from './control-folder.js';
import { fchmodAt, mkdirAt, renameAt2, symlinkAt } from './entries.js';
import { fsyncDir, openAt, procPath, withHandle } from './handles.js';
import { O } from './libc.js';
import { SafeFsError, viaNode } from './safe-fs-error.js';
import { captureStaged, dropStaged, keepStaged, partName } from './staging.js';
import type { Stat } from './stat.js';
import { shapeOf, type Durability, type Transition } from './transition.js';

/** Whole content or its chunks; may be called more than once and answers the same bytes each time. */
export type Content = () => Iterable<Uint8Array> | Uint8Array;

export interface StageOptions {
  /** The new object gets this one's owner when we are root. */
  like?: Stat;
  durability?: Durability;
}

function writeFully(fd: number, chunk: Uint8Array, position: number): void {
  let written = 0;
  while (written < chunk.length)
    written += viaNode('write', procPath(fd), () =>
      fs.writeSync(fd, chunk, written, chunk.length - written, position + written),
    );
}

/**
 * Hands each chunk with its offset to `sink` and checks the whole.
 * @throws SafeFsError content_mismatch, after everything was handed on
 */
export function pour(content: Content, to: FileState, sink: (chunk: Uint8Array, offset: number) => void): void {
  const given = content();
  const hash = createHash('sha256');
  let size = 0;
  for (const chunk of given instanceof Uint8Array ? [given] : given) {
    sink(chunk, size);
    hash.update(chunk);
    size += chunk.length;
  }
  if (size !== to.size || toBlobHash(hash) !== to.hash) throw new SafeFsError('content_mismatch', 'write', 0, to.hash);
}

export const pourInto = (fd: number, content: Content, to: FileState): void =>
  pour(content, to, (chunk, offset) => writeFully(fd, chunk, offset));

function makeFile(stagingFd: number, part: string, to: FileState, content: Content, options: StageOptions): void {
  withHandle(openAt(stagingFd, part, O.WRONLY | O.CREAT | O.EXCL), (fd) => {
    pourInto(fd, content, to);
    takeOwner(stagingFd, part, options.like);
    viaNode('fchmod', part, () => fs.fchmodSync(fd, to.mode)); // after chown, which clears setuid
    if (options.durability === 'power') viaNode('fsync', part, () => fs.fsyncSync(fd));
  });
}

function takeOwner(stagingFd: number, part: string, like: Stat | undefined): void {
  if (like === undefined || process.geteuid?.() !== 0) return;
  viaNode('lchown', part, () => fs.lchownSync(`${procPath(stagingFd)}/${part}`, like.uid, like.gid));
}

function make(stagingFd: number, part: string, transition: Transition, content: Content, options: StageOptions): void {
  const { to, path } = transition;
  switch (to.kind) {
    case 'file':
      return makeFile(stagingFd, part, to, content, options);
    case 'directory':
      mkdirAt(stagingFd, part, 0o700);
      takeOwner(stagingFd, part, options.like);
      return fchmodAt(stagingFd, part, to.mode);
    case 'link':
      symlinkAt(to.target, stagingFd, part);
      return takeOwner(stagingFd, part, options.like);
    case 'absent':
    case 'other':
      throw new SafeFsError('unsupported', 'stage', 0, path);
  }
}

/** A leftover that is not the new object is a pre-image that a crash left behind: it may be the only copy. */
function clear(root: WorkspaceRoot, { stageName, to }: Transition): void {
  dropStaged(root, partName(stageName));
  const { state } = captureStaged(root, stageName);
  if (state.kind === 'absent') return;
  if (samePathState(state, to)) dropStaged(root, stageName);
  else keepStaged(root, stageName);
}

/**
 * Prepares the new object under `stageName`, complete or not at all. The workspace is not touched.
 * Makes nothing where nothing new is needed: removals, mode changes, equal states.
 * @throws SafeFsError content_mismatch when the content is not the one of `to`; no_space; not_permitted
 */
export function stage(root: WorkspaceRoot, transition: Transition, content: Content, options: StageOptions = {}): void {
  const { stagingFd } = root;
  const part = partName(transition.stageName);
  const shape = shapeOf(transition);
  clear(root, transition);
  if (shape !== 'place' && shape !== 'exchange') return;
  try {
    make(stagingFd, part, transition, content, options);
  } catch (error) {
    dropStaged(root, part);
    throw error;
  }
  renameAt2(stagingFd, part, stagingFd, transition.stageName, 'noreplace');
  if (options.durability === 'power') fsyncDir(stagingFd);
}
