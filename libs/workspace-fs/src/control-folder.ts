import { CONTROL_FOLDER } from '@retrace/contracts';
import fs from 'node:fs';
import { chmodFd, mkdirAt } from './entries.js';
import { openAt, openRoot, procPath, withHandle } from './handles.js';
import { O } from './libc.js';
import { lockFile } from './lock.js';
import { isFsError, SafeFsError, viaNode } from './safe-fs-error.js';
import { SpareFiles } from './spare-files.js';
import { permissions, sameFile, statAt, statFd } from './stat.js';
import { readHolder, WorkspaceLocked } from './workspace-locked.js';

const OWNER_ONLY = 0o700;

/** A workspace that this process alone may write to, until `close`. All handles are O_PATH. */
export interface WorkspaceRoot {
  /** The root's real path, for messages and for `resolveCanonical`. */
  readonly path: string;
  readonly rootFd: number;
  readonly controlFd: number;
  readonly stagingFd: number;
  /** Each change that comes after a look has a time of its own, so that equal times prove that there was none. */
  readonly fineTimes: boolean;
  /** For new content; no part of what staging holds. */
  readonly spares: SpareFiles;
  /** Closes the handles and gives the lock back; a second call does nothing. */
  close(): void;
}

/** Opens a folder, creating it when missing; a link in its place is refused. */
function openPrivateFolder(dirfd: number, name: string): number {
  try {
    mkdirAt(dirfd, name, OWNER_ONLY);
  } catch (error) {
    if (!isFsError(error, 'exists')) throw error;
  }
  if (statAt(dirfd, name).isLink) throw new SafeFsError('link_refused', 'openWorkspaceRoot', 0, name);
  const fd = openAt(dirfd, name, O.PATH | O.DIRECTORY);
  // Staged files are other people's private content; the umask or an older folder may have left it open.
  if (permissions(statFd(fd)) !== OWNER_ONLY) chmodFd(fd, OWNER_ONLY);
  return fd;
}

function openRegular(dirfd: number, name: string, keep: (fd: number) => number): number {
  const fd = keep(openAt(dirfd, name, O.RDWR | O.CREAT, 0o600));
  if (!statFd(fd).isFile) throw new SafeFsError('unsupported', 'openWorkspaceRoot', 0, name);
  return fd;
}

const LOOKS = 8;

/**
 * Answers whether the file system gives changes within the same tick of its clock different times once somebody has
 * looked in between (kernels from 6.13 on, on most local file systems).
 */
function hasFineTimes(controlFd: number): boolean {
  return withHandle(openAt(controlFd, 'lock', O.RDWR), (fd) => {
    for (let i = 0, last = statFd(fd).ctimeNs; i < LOOKS; i++) {
      fs.fchmodSync(fd, 0o600);
      const { ctimeNs } = statFd(fd);
      if (ctimeNs === last) return false;
      last = ctimeNs;
    }
    return true;
  });
}

/** Keeps git and other tools that read ignore files out; written again after a crash left it empty. */
function writeIgnoreFile(controlFd: number, keep: (fd: number) => number): void {
  const fd = openRegular(controlFd, '.gitignore', keep);
  if (statFd(fd).size === 0n) fs.writeSync(fd, '*\n');
}

function takeLock(controlFd: number, path: string, keep: (fd: number) => number): void {
  const fd = openRegular(controlFd, 'lock', keep);
  if (!lockFile(fd)) throw new WorkspaceLocked(path, readHolder(fd));
  // Somebody removed the file between open and lock: what we locked is nobody else's lock.
  if (!sameFile(statAt(controlFd, 'lock'), statFd(fd))) throw new WorkspaceLocked(path, {});
  fs.ftruncateSync(fd, 0);
  fs.writeSync(fd, `${JSON.stringify({ pid: process.pid, since: new Date().toISOString() })}\n`, 0);
}

/**
 * Opens a workspace, prepares its control folder and takes the kernel lock on it, which ends with the process.
 * @throws WorkspaceLocked when somebody else holds it; SafeFsError link_refused when the control folder is a link
 */
export function openWorkspaceRoot(path: string): WorkspaceRoot {
  const open = new Set<number>();
  const keep = (fd: number): number => {
    open.add(fd);
    return fd;
  };
  let spares: SpareFiles | undefined;
  const close = (): void => {
    if (open.size > 0) spares?.clear();
    for (const fd of open) fs.closeSync(fd);
    open.clear();
  };
  try {
    const rootFd = keep(openRoot(path));
    const realPath = viaNode('openWorkspaceRoot', path, () => fs.readlinkSync(procPath(rootFd)));
    const controlFd = keep(openPrivateFolder(rootFd, CONTROL_FOLDER));
    takeLock(controlFd, realPath, keep);
    writeIgnoreFile(controlFd, keep);
    const stagingFd = keep(openPrivateFolder(controlFd, 'staging'));
    spares = new SpareFiles(keep(openPrivateFolder(controlFd, 'spare')));
    spares.clear();
    const fineTimes = hasFineTimes(controlFd);
    return { path: realPath, rootFd, controlFd, stagingFd, fineTimes, spares, close };
  } catch (error) {
    close();
    throw error;
  }
}
