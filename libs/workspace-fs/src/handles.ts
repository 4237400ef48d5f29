import fs from 'node:fs';
import { attempt, libc, O, RESOLVE, SYS_openat2 } from './libc.js';
import { cname, cstr, type CString, type Name } from './names.js';
import { ERRNO, errnoError, SafeFsError, viaNode } from './safe-fs-error.js';

const RENAME_RACES = 64;
const { EAGAIN, ENOENT, EXDEV } = ERRNO;
/** Three 64-bit numbers, little-endian; no flag of ours reaches into an upper half. */
const how = Buffer.alloc(24);

interface Opening {
  flags: number;
  resolve: number;
  /** Must be 0 without O_CREAT, or the kernel refuses the call. */
  mode?: number;
}

/** Answers the handle or, negative, an errno. */
function tryOpenat2(dirfd: number, path: CString, { flags, resolve, mode = 0 }: Opening): number {
  how.writeUInt32LE(flags >>> 0, 0);
  how.writeUInt32LE(mode, 8);
  how.writeUInt32LE(resolve, 16);
  for (let tries = 0; ; tries++) {
    const result = attempt(() => libc.openat2(SYS_openat2, dirfd, path, how, how.length));
    // A rename raced with a ".." inside a link: the kernel asks to try again.
    if (result !== -EAGAIN || tries >= RENAME_RACES) return result;
  }
}

function opened(result: number, subject: Name): number {
  if (result >= 0) return result;
  const text = subject.toString();
  if (result === -EXDEV) throw new SafeFsError('outside_root', 'openat2', EXDEV, text);
  throw errnoError('openat2', -result, text);
}

const unlessMissing = (result: number, subject: Name): number | undefined =>
  result === -ENOENT ? undefined : opened(result, subject);

/** Opens a workspace's root folder as an O_PATH handle. The one place that takes a path of the machine. */
export const openRoot = (path: string): number =>
  viaNode('openRoot', path, () => fs.openSync(path, O.PATH | O.DIRECTORY | O.CLOEXEC));

/** Runs `use` with a handle and closes it, whatever happens. */
export function withHandle<T>(fd: number, use: (fd: number) => T): T {
  try {
    return use(fd);
  } finally {
    fs.closeSync(fd);
  }
}

export interface ResolveOptions {
  /** Follow links that stay beneath the root. Default: any link is refused. */
  symlinks?: boolean;
  /** Refuse to cross a mount point. */
  sameMount?: boolean;
}

/** A parent folder's O_PATH handle, to be closed by the receiver, and the last name. */
export interface Resolved {
  dirfd: number;
  name: string;
}

/** `..`, `.`, empty names and a trailing slash are refused by text: with links they do not mean what they say. */
export function splitPath(relPath: string): string[] {
  const names = relPath.split('/');
  if (relPath.startsWith('/') || names.includes('..')) throw new SafeFsError('outside_root', 'resolve', 0, relPath);
  for (const name of names) cname(name, 'resolve');
  return names;
}

/**
 * Opens a folder beneath the root as an O_PATH handle; no names at all mean the root itself.
 * @throws SafeFsError absent, not_a_folder, link_refused, outside_root
 */
export function openFolder(rootFd: number, names: readonly string[], options: ResolveOptions = {}): number {
  const path = names.join('/');
  return opened(tryOpenFolder(rootFd, path, options), path);
}

function tryOpenFolder(rootFd: number, path: string, options: ResolveOptions): number {
  const resolve =
    RESOLVE.BENEATH |
    RESOLVE.NO_MAGICLINKS |
    (options.symlinks === true ? 0 : RESOLVE.NO_SYMLINKS) |
    (options.sameMount === true ? RESOLVE.NO_XDEV : 0);
  const flags = O.PATH | O.DIRECTORY | O.CLOEXEC;
  return tryOpenat2(rootFd, cstr(path || '.', 'resolve'), { flags, resolve });
}

/**
 * Resolves a path to (handle of its parent, last name). The handle needs no read permission and cannot be read or synced.
 * @throws SafeFsError absent, not_a_folder, link_refused, outside_root, invalid_name
 */
export function resolveBeneath(rootFd: number, relPath: string, options: ResolveOptions = {}): Resolved {
  const names = splitPath(relPath);
  const name = names.at(-1) ?? '';
  return { dirfd: openFolder(rootFd, names.slice(0, -1), options), name };
}

/** As {@link resolveBeneath}; undefined where a folder on the way does not exist. */
export function resolveIfThere(rootFd: number, relPath: string, options: ResolveOptions = {}): Resolved | undefined {
  const names = splitPath(relPath);
  const name = names.pop() ?? '';
  const path = names.join('/');
  const dirfd = unlessMissing(tryOpenFolder(rootFd, path, options), path);
  return dirfd === undefined ? undefined : { dirfd, name };
}

/**
 * Opens one entry; never follows a link, never blocks on a FIFO, never takes a terminal.
 * Check `isFile` with statFd before reading.
 */
export const openAt = (dirfd: number, name: Name, flags: number, mode = 0o600): number =>
  opened(tryOpenAt(dirfd, name, flags, mode), name);

/** As {@link openAt}; undefined where nothing is. */
export const openIfThere = (dirfd: number, name: Name, flags: number): number | undefined =>
  unlessMissing(tryOpenAt(dirfd, name, flags, 0), name);

function tryOpenAt(dirfd: number, name: Name, flags: number, mode: number): number {
  const harmless = (flags & O.PATH) === 0 ? O.NONBLOCK | O.NOCTTY : 0;
  return tryOpenat2(dirfd, cname(name, 'openAt'), {
    flags: flags | harmless | O.NOFOLLOW | O.CLOEXEC,
    resolve: RESOLVE.BENEATH | RESOLVE.NO_SYMLINKS,
    mode: (flags & O.CREAT) === 0 ? 0 : mode,
  });
}

/** Where the kernel shows the very object of a handle, also of an O_PATH one. */
export const procPath = (fd: number): string => `/proc/self/fd/${fd}`;

/** Opens the object of an O_PATH handle once more, for reading or writing; the receiver closes it. */
export const reopen = (fd: number, flags: number): number =>
  viaNode('reopen', procPath(fd), () => fs.openSync(procPath(fd), flags | O.NONBLOCK | O.NOCTTY | O.CLOEXEC));

/** Makes a folder's entries survive a power failure. */
export function fsyncDir(dirfd: number): void {
  const flags = O.RDONLY | O.DIRECTORY | O.CLOEXEC;
  withHandle(opened(tryOpenat2(dirfd, '.', { flags, resolve: RESOLVE.BENEATH }), '.'), (fd) =>
    viaNode('fsyncDir', procPath(dirfd), () => fs.fsyncSync(fd)),
  );
}
