import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { unlink } from 'node:fs/promises';
import { captureAt, type Captured } from './capture.js';
import type { WorkspaceRoot } from './control-folder.js';
import { readDir, renameAt2, unlinkIfThere } from './entries.js';
import { openAt } from './handles.js';
import { O } from './libc.js';
import type { Name } from './names.js';
import { SafeFsError } from './safe-fs-error.js';
import { statFd, statIfThere } from './stat.js';

type Staging = Pick<WorkspaceRoot, 'stagingFd'>;

/** Whatever lies under a stage name itself is complete: objects in the making have this ending. */
const PART = '.part';
const KEPT = '.kept-';

/** @throws SafeFsError invalid_name for a name that staging uses itself */
export function partName(stageName: string): string {
  if (stageName.endsWith(PART) || stageName.includes(KEPT))
    throw new SafeFsError('invalid_name', 'stage', 0, stageName);
  return stageName + PART;
}

/** Lists all names in staging, objects half made (`.part`) and kept (`.kept-`) included. */
export const listStaged = ({ stagingFd }: Staging): Name[] => readDir(stagingFd);

export const captureStaged = ({ stagingFd }: Staging, stageName: Name): Captured =>
  captureAt({ dirfd: stagingFd, name: stageName });

/** Removes a staged object; nothing happens when there is none. Removing a large file may take long. */
export function dropStaged({ stagingFd }: Staging, stageName: Name): void {
  const stat = statIfThere(stagingFd, stageName);
  if (stat !== undefined) unlinkIfThere(stagingFd, stageName, stat.isFolder);
}

/** Removes a staged file off the event loop, by the handle: wherever staging's path leads by now. */
export async function dropStagedAside({ stagingFd }: Staging, stageName: string): Promise<void> {
  try {
    await unlink(`/proc/self/fd/${stagingFd}/${stageName}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Above this, in bytes, removing a file takes long. */
const SOON_GONE = 1_048_576n;

/** As {@link dropStaged}, but a small file may be used again, and a large one is left: then it answers false. */
export function spareStaged({ stagingFd, spares }: Pick<WorkspaceRoot, 'stagingFd' | 'spares'>, stageName: Name) {
  const stat = statIfThere(stagingFd, stageName);
  if (stat === undefined || spares.keep(stagingFd, stageName, stat)) return true;
  if (stat.isFile && stat.size > SOON_GONE) return false;
  unlinkIfThere(stagingFd, stageName, stat.isFolder);
  return true;
}

/**
 * Opens a staged file for reading; the receiver closes the handle.
 * @throws SafeFsError absent; unsupported when it is no regular file
 */
export function openStaged({ stagingFd }: Staging, stageName: Name): number {
  const fd = openAt(stagingFd, stageName, O.RDONLY);
  if (statFd(fd).isFile) return fd;
  fs.closeSync(fd);
  throw new SafeFsError('unsupported', 'openStaged', 0, stageName.toString());
}

/** Moves somebody else's object out of the way under a name that nothing reuses, and answers that name. */
export function keepStaged({ stagingFd }: Staging, stageName: string): string {
  const kept = `${stageName}${KEPT}${randomBytes(4).toString('hex')}`;
  renameAt2(stagingFd, stageName, stagingFd, kept, 'noreplace');
  return kept;
}
