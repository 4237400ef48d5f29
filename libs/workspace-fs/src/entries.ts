import fs from 'node:fs';
import { openAt, procPath, withHandle } from './handles.js';
import { AT, attempt, libc, O, sys } from './libc.js';
import { cname, cstr, type CString, printable, utf8, type Name } from './names.js';
import { ERRNO, errnoError, SafeFsError, viaNode } from './safe-fs-error.js';
import { HANDLE_ITSELF, permissions, statFd } from './stat.js';

/** PATH_MAX is 4096; one more byte shows a target that was cut off. */
const TARGET_BYTES = 4097;

/** Lists a folder's names, without `.` and `..`. Works on O_PATH handles. */
export const readDir = (dirfd: number): Name[] =>
  viaNode('readDir', procPath(dirfd), () => fs.readdirSync(procPath(dirfd), { encoding: 'buffer' })).map(
    (bytes) => utf8(bytes) ?? bytes,
  );

export function mkdirAt(dirfd: number, name: Name, mode = 0o777): void {
  const path = cname(name, 'mkdirAt');
  sys('mkdirat', name, () => libc.mkdirat(dirfd, path, mode));
}

export function unlinkAt(dirfd: number, name: Name, folder = false): void {
  const path = cname(name, 'unlinkAt');
  sys('unlinkat', name, () => libc.unlinkat(dirfd, path, folder ? AT.REMOVEDIR : 0));
}

/** As {@link unlinkAt}; nothing happens where nothing is. */
export function unlinkIfThere(dirfd: number, name: Name, folder = false): void {
  const path = cname(name, 'unlinkAt');
  const result = attempt(() => libc.unlinkat(dirfd, path, folder ? AT.REMOVEDIR : 0));
  if (result < 0 && result !== -ERRNO.ENOENT) throw errnoError('unlinkat', -result, name.toString());
}

export type RenameMode = 'replace' | 'noreplace' | 'exchange';
const RENAME_FLAGS: Record<RenameMode, number> = { replace: 0, noreplace: 1, exchange: 2 };

export function renameAt2(from: number, a: Name, to: number, b: Name, mode: RenameMode): void {
  const source = cname(a, 'renameAt2');
  const target = cname(b, 'renameAt2');
  sys('renameat2', b, () => libc.renameat2(from, source, to, target, RENAME_FLAGS[mode]));
}

export function symlinkAt(target: Name, dirfd: number, name: Name): void {
  const [text, path] = [cstr(target, 'symlinkAt'), cname(name, 'symlinkAt')];
  sys('symlinkat', name, () => libc.symlinkat(text, dirfd, path));
}

function readlink(dirfd: number, path: CString, subject?: string): Buffer {
  const out = Buffer.alloc(TARGET_BYTES);
  return out.subarray(
    0,
    sys('readlinkat', subject, () => libc.readlinkat(dirfd, path, out, out.length)),
  );
}
export const readlinkAt = (dirfd: number, name: Name): Buffer =>
  readlink(dirfd, cname(name, 'readlinkAt'), printable(name));
/** Reads the target of the link that an O_PATH handle holds. */
export const readlinkFd = (fd: number): Buffer => readlink(fd, HANDLE_ITSELF);

/**
 * Sets exactly these permission bits on the object of an O_PATH handle, whatever the umask.
 * @throws SafeFsError link_refused; not_permitted, also when the kernel silently dropped a bit (setgid of a foreign group)
 */
export function chmodFd(fd: number, mode: number): void {
  if (statFd(fd).isLink) throw new SafeFsError('link_refused', 'chmodFd');
  viaNode('chmodFd', procPath(fd), () => fs.chmodSync(procPath(fd), mode));
  if (permissions(statFd(fd)) !== mode) throw new SafeFsError('not_permitted', 'chmodFd');
}

/** fchmodat follows links; an O_PATH handle names exactly one object. */
export const fchmodAt = (dirfd: number, name: Name, mode: number): void =>
  withHandle(openAt(dirfd, name, O.PATH), (fd) => chmodFd(fd, mode));
