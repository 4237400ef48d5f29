import { closeSync, fstatSync, readSync } from 'node:fs';
import { isFsError, O, openAt, openStaged, resolveBeneath, withHandle } from '@retrace/workspace-fs';
import type { FileState } from '@retrace/contracts';
import type { JournalStep } from '../journal/journal-record.js';
import type { Workspace } from '../workspaces/workspace.js';
import { preImageName } from './journal-step.js';
import { lookAtLeniently } from './look-at.js';

const READ_BYTES = 256 * 1024;

/**
 * Answers whether a file is what a write in place leaves behind that ended in the middle: new bytes up to some place,
 * the old ones after it. Anything else is somebody's own version and is never written over.
 */
export function isTornWrite(workspace: Workspace, step: JournalStep): boolean {
  const { from, to } = step;
  const found = lookAtLeniently(workspace, step.path);
  if (!step.inPlace || found.kind !== 'file' || from.kind !== 'file' || to.kind !== 'file') return false;
  if (found.mode !== from.mode && found.mode !== to.mode) return false;
  try {
    return isMixture(workspace, step, from, to);
  } catch (error) {
    // One of the three is gone: nobody can tell.
    if (isFsError(error)) return false;
    throw error;
  }
}

function isMixture(workspace: Workspace, step: JournalStep, from: FileState, to: FileState): boolean {
  return withFiles(workspace, step, (file, before, after) => {
    const size = fstatSync(file).size;
    const [fresh] = firstDifference(file, after, 0);
    // All new bytes are there; the end of a longer old file may still follow, or be cut off already.
    if (fresh === size && (size >= from.size || size === to.size)) return true;
    const [, same] = firstDifference(file, before, fresh);
    return size === from.size && same;
  });
}

function withFiles<T>(
  workspace: Workspace,
  step: JournalStep,
  use: (file: number, before: number, after: number) => T,
): T {
  const open: number[] = [];
  const keep = (fd: number): number => {
    open.push(fd);
    return fd;
  };
  try {
    const { dirfd, name } = resolveBeneath(workspace.root.rootFd, step.path);
    const file = keep(withHandle(dirfd, () => openAt(dirfd, name, O.RDONLY)));
    const before = keep(openStaged(workspace.root, preImageName(step)));
    return use(file, before, keep(openStaged(workspace.root, step.stageName)));
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** Where two files differ first at or after `from`, and whether they are equal to the end of both. */
function firstDifference(a: number, b: number, from: number): [at: number, same: boolean] {
  const [left, right] = [Buffer.allocUnsafe(READ_BYTES), Buffer.allocUnsafe(READ_BYTES)];
  for (let at = from; ;) {
    const lengths = [readSync(a, left, 0, READ_BYTES, at), readSync(b, right, 0, READ_BYTES, at)] as const;
    const common = Math.min(...lengths);
    if (left.compare(right, 0, common, 0, common) !== 0) return [at + differenceIn(left, right, common), false];
    if (lengths[0] !== lengths[1]) return [at + common, false];
    if (common === 0) return [at, true];
    at += common;
  }
}

function differenceIn(left: Buffer, right: Buffer, length: number): number {
  for (let i = 0; i < length; i++) if (left[i] !== right[i]) return i;
  return length;
}
