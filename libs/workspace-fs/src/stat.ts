import fs from 'node:fs';
import { AT, attempt, libc, sys } from './libc.js';
import { cname, type CString, type Name } from './names.js';
import { ERRNO, errnoError } from './safe-fs-error.js';

const C = fs.constants;

/** What the kernel says of one object. Times are nanoseconds since 1970. */
export interface Stat {
  ino: bigint;
  dev: bigint;
  /** Bytes. */
  size: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
  /** This process's wall clock when it looked, in nanoseconds (to the millisecond). */
  atNs: bigint;
  nlink: number;
  /** Kind and permission bits. */
  mode: number;
  uid: number;
  gid: number;
  isFile: boolean;
  isFolder: boolean;
  isLink: boolean;
}

/** Below this age a file may change again without its mtime moving (git calls such an entry racy). */
export const RACY_NS = 2_000_000_000n;

const ALL_FIELDS = 0x7ff;
const out = Buffer.alloc(256);

const timeAt = (offset: number): bigint =>
  out.readBigInt64LE(offset) * 1_000_000_000n + BigInt(out.readUInt32LE(offset + 8));

/** Composes st_dev as glibc does, so that it equals the one of `fs.fstat`. */
function deviceAt(offset: number): bigint {
  const major = BigInt(out.readUInt32LE(offset));
  const minor = BigInt(out.readUInt32LE(offset + 4));
  return ((major & 0xfffff000n) << 32n) | ((major & 0xfffn) << 8n) | ((minor & 0xffffff00n) << 12n) | (minor & 0xffn);
}

const statx = (dirfd: number, path: CString, flags: number): number =>
  libc.statx(dirfd, path, flags | AT.NO_AUTOMOUNT, ALL_FIELDS, out);

function filled(): Stat {
  const mode = out.readUInt16LE(28);
  const kind = mode & C.S_IFMT;
  return {
    ino: out.readBigUInt64LE(32),
    dev: deviceAt(136),
    size: out.readBigUInt64LE(40),
    mtimeNs: timeAt(112),
    ctimeNs: timeAt(96),
    atNs: BigInt(Date.now()) * 1_000_000n,
    nlink: out.readUInt32LE(16),
    mode,
    uid: out.readUInt32LE(20),
    gid: out.readUInt32LE(24),
    isFile: kind === C.S_IFREG,
    isFolder: kind === C.S_IFDIR,
    isLink: kind === C.S_IFLNK,
  };
}

/** Looks at an entry; of a link, at the link. */
export function statAt(dirfd: number, name: Name): Stat {
  const path = cname(name, 'statAt');
  sys('statx', name, () => statx(dirfd, path, AT.SYMLINK_NOFOLLOW));
  return filled();
}

/** As {@link statAt}; undefined where nothing is. */
export function statIfThere(dirfd: number, name: Name): Stat | undefined {
  const path = cname(name, 'statAt');
  const result = attempt(() => statx(dirfd, path, AT.SYMLINK_NOFOLLOW));
  if (result >= 0) return filled();
  if (result === -ERRNO.ENOENT) return undefined;
  throw errnoError('statx', -result, name.toString());
}

export function statFd(fd: number): Stat {
  sys('statx', undefined, () => statx(fd, HANDLE_ITSELF, AT.EMPTY_PATH));
  return filled();
}

/** For readlinkat and friends: the handle itself, no name. */
export const HANDLE_ITSELF = '';

export const permissions = (stat: Stat): number => stat.mode & 0o7777;

export const sameFile = (a: Stat, b: Stat): boolean => a.ino === b.ino && a.dev === b.dev;
/** Without ctime: our own rename changes it. */
export const sameState = (a: Stat, b: Stat): boolean =>
  sameFile(a, b) && a.size === b.size && a.mtimeNs === b.mtimeNs && a.mode === b.mode;
/** With ctime, which nobody can set back: nothing at all happened to the object between the two looks. */
export const untouched = (a: Stat, b: Stat): boolean => sameState(a, b) && a.ctimeNs === b.ctimeNs;

/** Answers whether equal times on a later look prove equal content: the last write was long enough before this look. */
export const isSettled = (stat: Stat): boolean => stat.mtimeNs + RACY_NS < stat.atNs;

/** Names what is neither file, folder nor link. */
export function specialType(stat: Stat): 'fifo' | 'socket' | 'device' {
  const kind = stat.mode & C.S_IFMT;
  if (kind === C.S_IFIFO) return 'fifo';
  return kind === C.S_IFSOCK ? 'socket' : 'device';
}

/** Exchanging a file with more than one name would tear it from its other names: it is written in place. */
export const needsInPlace = (stat: Stat): boolean => stat.isFile && stat.nlink > 1;
