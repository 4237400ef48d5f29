import { samePathState } from '@retrace/contracts';
import fs from 'node:fs';
import { changed, whenAsFrom, type ApplyResult, type Work } from './apply-work.js';
import { unlessAbsent } from './capture.js';
import { captureLeniently } from './classify.js';
import type { WorkspaceRoot } from './control-folder.js';
import { chmodFd, fchmodAt, readDir, renameAt2, unlinkAt } from './entries.js';
import { fsyncDir, openAt, reopen, withHandle, type Resolved } from './handles.js';
import { O } from './libc.js';
import { judge, replaceExchange } from './replace-exchange.js';
import { isFsError } from './safe-fs-error.js';
import { statAt, type Stat } from './stat.js';
import { keepStaged } from './staging.js';
import { locate, type Shape, shapeOf, type Transition, type TransitionOptions } from './transition.js';

const OWNER_ALL = 0o700;

/**
 * Only root moves a folder that its owner may not write to (its ".." changes): others open it for the move.
 * A crash before it is closed again leaves it with the wider mode, which classifies as neither.
 */
function moveIn(stagingFd: number, at: Resolved, { stageName, to }: Transition): void {
  const closed = to.kind === 'directory' && (to.mode & OWNER_ALL) !== OWNER_ALL && process.geteuid?.() !== 0;
  if (closed) fchmodAt(stagingFd, stageName, to.mode | OWNER_ALL);
  renameAt2(stagingFd, stageName, at.dirfd, at.name, 'noreplace');
  if (closed) fchmodAt(at.dirfd, at.name, to.mode);
}

function place(work: Work): ApplyResult {
  const { root, at, transition } = work;
  try {
    moveIn(root.stagingFd, at, transition);
    return { outcome: 'applied' };
  } catch (error) {
    if (isFsError(error, 'exists')) return changed(work);
    throw error;
  }
}

/** Puts back what was taken, or keeps it where somebody filled the place meanwhile. */
function putBack(work: Work): string | undefined {
  const { root, at, transition } = work;
  try {
    renameAt2(root.stagingFd, transition.stageName, at.dirfd, at.name, 'noreplace');
    return undefined;
  } catch (error) {
    if (isFsError(error, 'exists', 'absent')) return keepStaged(root, transition.stageName);
    throw error;
  }
}

function take(work: Work): ApplyResult {
  const { root, at, transition, options } = work;
  return whenAsFrom(work, (_, stat) => {
    const taken = unlessAbsent(() => {
      renameAt2(at.dirfd, at.name, root.stagingFd, transition.stageName, 'noreplace');
      return openAt(root.stagingFd, transition.stageName, O.PATH);
    });
    if (taken === undefined) return changed(work);
    return withHandle(taken, () => {
      const verdict = judge(taken, stat);
      if (verdict === 'changed') return changed(work, putBack(work));
      if (verdict !== 'writer' || options.allowWriter === true)
        return { outcome: 'applied', preImage: 'staged', lease: verdict };
      const kept = putBack(work);
      return { outcome: 'writer', ...(kept === undefined ? {} : { kept }) };
    });
  });
}

function rmdir(work: Work): ApplyResult {
  const { at } = work;
  return whenAsFrom(work, () => {
    try {
      unlinkAt(at.dirfd, at.name, true);
      return { outcome: 'applied' };
    } catch (error) {
      if (isFsError(error, 'not_empty', 'absent', 'not_a_folder')) return changed(work);
      throw error;
    }
  });
}

function chmod(work: Work): ApplyResult {
  const { transition, options } = work;
  const { to } = transition;
  if (to.kind !== 'file' && to.kind !== 'directory') throw new TypeError(`a ${to.kind} has no mode to set`);
  return whenAsFrom(work, (handle) => {
    chmodFd(handle, to.mode);
    if (options.durability === 'power') withHandle(reopen(handle, O.RDONLY), (fd) => fs.fsyncSync(fd));
    return { outcome: 'applied' };
  });
}

function exchange(work: Work): ApplyResult {
  const { root, at, transition, options } = work;
  const { stagingFd } = root;
  const { stageName } = transition;
  statAt(stagingFd, stageName); // afterwards `absent` can only mean the path
  return whenAsFrom(work, (handle, expected) => {
    if (expected.isFolder && readDir(handle).length > 0) return changed(work);
    const { allowWriter } = options;
    const result = unlessAbsent(() => replaceExchange({ ...at, stagingFd, stageName, expected, allowWriter }));
    if (result === undefined) return changed(work);
    if (result.outcome === 'replaced') return { outcome: 'applied', preImage: 'staged', lease: result.lease };
    const kept = result.staged === 'foreign' ? keepStaged(root, stageName) : undefined;
    if (result.outcome === 'changed') return changed(work, kept);
    return { outcome: 'writer', ...(kept === undefined ? {} : { kept }) };
  });
}

/** Nothing is to change: it is looked at all the same. Of what is absent, the folder may be gone too. */
function stands(root: WorkspaceRoot, { path, to }: Transition, { cache }: TransitionOptions): ApplyResult {
  const found = captureLeniently(root, path, cache);
  return samePathState(found, to) ? { outcome: 'applied' } : { outcome: 'changed', found };
}

function carryOut(work: Work, shape: Exclude<Shape, 'nothing'>): ApplyResult {
  switch (shape) {
    case 'place':
      return place(work);
    case 'take':
      return take(work);
    case 'rmdir':
      return rmdir(work);
    case 'chmod':
      return chmod(work);
    case 'exchange':
      return exchange(work);
  }
}

/**
 * Brings a path from `from` to `to` with one kernel call, or leaves it as it is. The new object was staged before.
 * `expected` is the stat of an earlier capture of `from`: it saves hashing the file again when nothing touched it.
 * A thrown error may come from any point, as a crash may: `classify` afterwards.
 * @throws SafeFsError absent when a parent or the staged object is missing; link_refused, not_a_folder, busy, unsupported
 */
export function applyTransition(
  root: WorkspaceRoot,
  transition: Transition,
  expected?: Stat,
  options: TransitionOptions = {},
): ApplyResult {
  const shape = shapeOf(transition);
  if (shape === 'nothing') return stands(root, transition, options);
  const at = locate(root.rootFd, transition.path);
  return withHandle(at.dirfd, (dirfd) => {
    const result = carryOut({ root, at, transition, expected, options }, shape);
    if (result.outcome === 'applied' && options.durability === 'power')
      for (const fd of [dirfd, root.stagingFd]) fsyncDir(fd);
    return result;
  });
}
