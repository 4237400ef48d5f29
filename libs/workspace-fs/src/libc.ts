import koffi from 'koffi';
import fs from 'node:fs';
import os from 'node:os';
import type { CString, Name } from './names.js';
import { ERRNO, errnoError } from './safe-fs-error.js';

const C = fs.constants;

/**
 * Open flags. PATH and CLOEXEC are not in `fs.constants` and are equal on every Linux architecture;
 * DIRECTORY and NOFOLLOW are not equal, so those are taken from node.
 */
export const O = {
  PATH: 0x200000,
  CLOEXEC: 0x80000,
  DIRECTORY: C.O_DIRECTORY,
  NOFOLLOW: C.O_NOFOLLOW,
  RDONLY: C.O_RDONLY,
  WRONLY: C.O_WRONLY,
  RDWR: C.O_RDWR,
  CREAT: C.O_CREAT,
  EXCL: C.O_EXCL,
  TRUNC: C.O_TRUNC,
  APPEND: C.O_APPEND,
  NONBLOCK: C.O_NONBLOCK,
  NOCTTY: C.O_NOCTTY,
} as const;

export const RESOLVE = { NO_XDEV: 1, NO_MAGICLINKS: 2, NO_SYMLINKS: 4, BENEATH: 8 } as const;
export const AT = { SYMLINK_NOFOLLOW: 0x100, REMOVEDIR: 0x200, NO_AUTOMOUNT: 0x800, EMPTY_PATH: 0x1000 } as const;
export const LOCK = { EX: 2, NB: 4 } as const;
export const F = { SETLEASE: 1024, SETSIG: 10, RDLCK: 0, WRLCK: 1, UNLCK: 2 } as const;
export const FICLONE = 0x40049409;
/** The same on all architectures; glibc has no wrapper. */
export const SYS_openat2 = 437;

if (os.endianness() !== 'LE') throw new Error('workspace-fs reads little-endian structs; this machine is big-endian');

/** The libc that node itself runs on: glibc or musl. */
const self = koffi.load(null);

interface Libc {
  openat2(nr: number, dirfd: number, path: CString, how: Buffer, size: number): number;
  statx(dirfd: number, path: CString, flags: number, mask: number, out: Buffer): number;
  mkdirat(dirfd: number, path: CString, mode: number): number;
  unlinkat(dirfd: number, path: CString, flags: number): number;
  renameat2(from: number, a: CString, to: number, b: CString, flags: number): number;
  symlinkat(target: CString, dirfd: number, path: CString): number;
  readlinkat(dirfd: number, path: CString, out: Buffer, size: number): number;
  flistxattr(fd: number, out: null, size: number): number;
  flock(fd: number, op: number): number;
  fcntl(fd: number, op: number, arg: number): number;
  ioctl(fd: number, op: number, arg: number): number;
}

/** Variadic functions get fixed prototypes: integers travel the same way on x64, arm64 and riscv64 Linux. */
export const libc: Libc = {
  openat2: self.func('long syscall(long nr, int dirfd, const char *path, void *how, size_t size)'),
  statx: self.func('int statx(int dirfd, const char *path, int flags, unsigned int mask, void *out)'),
  mkdirat: self.func('int mkdirat(int dirfd, const char *path, unsigned int mode)'),
  unlinkat: self.func('int unlinkat(int dirfd, const char *path, int flags)'),
  renameat2: self.func('int renameat2(int from, const char *a, int to, const char *b, unsigned int flags)'),
  symlinkat: self.func('int symlinkat(const char *target, int dirfd, const char *path)'),
  readlinkat: self.func('long readlinkat(int dirfd, const char *path, void *out, size_t size)'),
  flistxattr: self.func('long flistxattr(int fd, void *out, size_t size)'),
  flock: self.func('int flock(int fd, int op)'),
  fcntl: self.func('int fcntl(int fd, int op, long arg)'),
  ioctl: self.func('int ioctl(int fd, unsigned long op, long arg)'),
};

const { EINTR } = ERRNO;

/**
 * Runs one call, again on EINTR, and answers its result or, negative, its errno: what is expected to fail now and then
 * needs no error with a stack.
 * errno is read at once on the same thread; koffi's asynchronous calls run on others, so none is used here.
 */
export function attempt(run: () => number): number {
  for (;;) {
    const result = run();
    if (result >= 0) return result;
    const errno = koffi.errno();
    if (errno !== EINTR) return -errno;
  }
}

/**
 * As {@link attempt}.
 * @throws SafeFsError with the code of errno
 */
export function sys(call: string, subject: Name | undefined, run: () => number): number {
  const result = attempt(run);
  if (result < 0) throw errnoError(call, -result, subject?.toString());
  return result;
}
