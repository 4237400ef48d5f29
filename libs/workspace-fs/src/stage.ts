import { samePathState, type FileState } from '@retrace/contracts';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { blobHashOf, toBlobHash } from './capture.js';
import type { WorkspaceRoot } from './control-folder.js';
import { fchmodAt, mkdirAt, renameAt2, symlinkAt } from './entries.js';
import { fsyncDir, openAt, procPath, withHandle } from './handles.js';
import { O } from './libc.js';
import { SafeFsError, viaNode } from './safe-fs-error.js';
import { captureStaged, dropStaged, keepStaged, partName } from './staging.js';
import { statIfThere, type Stat } from './stat.js';
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
  if (given instanceof Uint8Array) return pourWhole(given, to, sink);
  const hash = createHash('sha256');
  let size = 0;
  for (const chunk of given) {
    sink(chunk, size);
    hash.update(chunk);
    size += chunk.length;
  }
  if (size !== to.size || toBlobHash(hash) !== to.hash) throw mismatch(to);
}

function pourWhole(content: Uint8Array, to: FileState, sink: (chunk: Uint8Array, offset: number) => void): void {
  sink(content, 0);
  if (content.length !== to.size || blobHashOf(content) !== to.hash) throw mismatch(to);
}

const mismatch = ({ hash }: FileState): SafeFsError => new SafeFsError('content_mismatch', 'write', 0, hash);

export const pourInto = (fd: number, content: Content, to: FileState): void =>
  pour(content, to, (chunk, offset) => writeFully(fd, chunk, offset));

function makeFile(stagingFd: number, part: string, to: FileState, content: Content, options: StageOptions): void {
  withHandle(openAt(stagingFd, part, O.WRONLY | O.CREAT | O.EXCL), (fd) => fill(fd, 0n, to, content, options));
}

function fill(fd: number, held: bigint, to: FileState, content: Content, { like, durability }: StageOptions): void {
  pourInto(fd, content, to);
  if (held > to.size) viaNode('ftruncate', to.hash, () => fs.ftruncateSync(fd, to.size));
  if (like !== undefined && process.geteuid?.() === 0)
    viaNode('fchown', to.hash, () => fs.fchownSync(fd, like.uid, like.gid));
  viaNode('fchmod', to.hash, () => fs.fchmodSync(fd, to.mode)); // after chown, which clears setuid
  if (durability === 'power') viaNode('fsync', to.hash, () => fs.fsyncSync(fd));
}

/** Answers false where there is no file to use again. */
function makeOfSpare(root: WorkspaceRoot, { stageName, to }: Transition, content: Content, options: StageOptions) {
  const { spares, stagingFd } = root;
  const spare = to.kind === 'file' ? spares.take() : undefined;
  if (spare === undefined || to.kind !== 'file') return false;
  try {
    fill(spare.fd, spare.stat.size, to, content, options);
  } catch (error) {
    spares.drop(spare);
    throw error;
  }
  spares.give(spare, stagingFd, stageName);
  return true;
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
  if (statIfThere(root.stagingFd, stageName) === undefined) return;
  const { state } = captureStaged(root, stageName);
  if (state.kind === 'absent') return;
  if (samePathState(state, to)) dropStaged(root, stageName);
  else keepStaged(root, stageName);
}

function makeAnew(
  root: WorkspaceRoot,
  part: string,
  transition: Transition,
  content: Content,
  options: StageOptions,
): void {
  const { stagingFd } = root;
  dropStaged(root, part);
  try {
    make(stagingFd, part, transition, content, options);
  } catch (error) {
    dropStaged(root, part);
    throw error;
  }
  renameAt2(stagingFd, part, stagingFd, transition.stageName, 'noreplace');
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
  if (!makeOfSpare(root, transition, content, options)) makeAnew(root, part, transition, content, options);
  if (options.durability === 'power') fsyncDir(stagingFd);
}
