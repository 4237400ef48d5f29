import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import koffi from 'koffi';

const LOCK_EXCLUSIVE_NOW = 2 | 4;
const flock = koffi.load(null).func('int flock(int fd, int op)');

/** Another process keeps its data in this folder. */
export class FolderLocked extends Error {
  readonly code = 'folder_locked';
  constructor(
    readonly folder: string,
    readonly holder: string,
  ) {
    super(
      `${folder} is in use by process ${holder || 'unknown'}; stop that one first (retrace down), or give another folder`,
    );
    this.name = 'FolderLocked';
  }
}

export interface FolderLock {
  release(): void;
}

/**
 * Takes a data folder for this process alone. The kernel gives the lock back when the process ends, however it ends.
 * Throws {@link FolderLocked}, naming the holder.
 */
export function lockFolder(folder: string): FolderLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'lock');
  const fd = openSync(file, 'a+', 0o600);
  if (flock(fd, LOCK_EXCLUSIVE_NOW) !== 0) {
    const holder = readFileSync(file, 'utf8').trim();
    closeSync(fd);
    throw new FolderLocked(folder, holder);
  }
  ftruncateSync(fd, 0);
  writeSync(fd, `${process.pid}\n`);
  return { release: () => closeSync(fd) };
}
