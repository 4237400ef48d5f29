import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { captureAt, unlessAbsent, type Captured } from './capture.js';
import type { WorkspaceRoot } from './control-folder.js';
import { readDir, renameAt2, unlinkAt } from './entries.js';
import { openAt } from './handles.js';
import { O } from './libc.js';
import type { Name } from './names.js';
import { SafeFsError } from './safe-fs-error.js';
import { statAt, statFd } from './stat.js';

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
  unlessAbsent(() => unlinkAt(stagingFd, stageName, statAt(stagingFd, stageName).isFolder));
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
