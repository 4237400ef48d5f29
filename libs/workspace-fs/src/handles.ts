import fs from 'node:fs';
import { libc, O, RESOLVE, sys, SYS_openat2 } from './libc.js';
import { cname, cstr, printable, type Name } from './names.js';
import { ERRNO, isFsError, SafeFsError, viaNode } from './safe-fs-error.js';

const RENAME_RACES = 64;
const how = Buffer.alloc(24);

interface Opening {
  flags: number;
  resolve: number;
  /** Must be 0 without O_CREAT, or the kernel refuses the call. */
  mode?: number;
  subject?: string;
}

function openat2(dirfd: number, path: Buffer, { flags, resolve, mode = 0, subject }: Opening): number {
  how.writeBigUInt64LE(BigInt(flags >>> 0), 0);
  how.writeBigUInt64LE(BigInt(mode), 8);
  how.writeBigUInt64LE(BigInt(resolve), 16);
  for (let tries = 0; ; tries++) {
    try {
      return sys('openat2', subject, () => libc.openat2(SYS_openat2, dirfd, path, how, how.length));
    } catch (error) {
      if (!isFsError(error)) throw error;
      // A rename raced with a ".." inside a link: the kernel asks to try again.
      if (error.errno === ERRNO.EAGAIN && tries < RENAME_RACES) continue;
      if (error.errno === ERRNO.EXDEV) throw new SafeFsError('outside_root', 'openat2', error.errno, subject);
      throw error;
    }
  }
}

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
  const resolve =
    RESOLVE.BENEATH |
    RESOLVE.NO_MAGICLINKS |
    (options.symlinks === true ? 0 : RESOLVE.NO_SYMLINKS) |
    (options.sameMount === true ? RESOLVE.NO_XDEV : 0);
  const flags = O.PATH | O.DIRECTORY | O.CLOEXEC;
  return openat2(rootFd, cstr(path || '.', 'resolve'), { flags, resolve, subject: path });
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

/**
 * Opens one entry; never follows a link, never blocks on a FIFO, never takes a terminal.
 * Check `isFile` with statFd before reading.
 */
export function openAt(dirfd: number, name: Name, flags: number, mode = 0o600): number {
  const harmless = (flags & O.PATH) === 0 ? O.NONBLOCK | O.NOCTTY : 0;
  return openat2(dirfd, cname(name, 'openAt'), {
    flags: flags | harmless | O.NOFOLLOW | O.CLOEXEC,
    resolve: RESOLVE.BENEATH | RESOLVE.NO_SYMLINKS,
    mode: (flags & O.CREAT) === 0 ? 0 : mode,
    subject: printable(name),
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
  withHandle(openat2(dirfd, cstr('.', 'fsyncDir'), { flags, resolve: RESOLVE.BENEATH }), (fd) =>
    viaNode('fsyncDir', procPath(dirfd), () => fs.fsyncSync(fd)),
  );
}
