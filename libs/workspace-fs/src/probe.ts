import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdirAt, readDir, renameAt2, unlinkAt } from './entries.js';
import { openAt, withHandle } from './handles.js';
import { tryReadLease, type Lease } from './lease.js';
import { FICLONE, libc, O } from './libc.js';
import { ERRNO, isFsError } from './safe-fs-error.js';
import { sameFile, statAt } from './stat.js';

/** What the kernel and the file system of one folder can do. */
export interface Probe {
  openat2: boolean;
  exchange: boolean;
  noreplace: boolean;
  lease: Lease;
  reflink: boolean;
}

const NOTHING: Probe = { openat2: false, exchange: false, noreplace: false, lease: 'unsupported', reflink: false };
const CREATE = O.WRONLY | O.CREAT | O.EXCL;

function tryNoreplace(dir: number): boolean {
  try {
    renameAt2(dir, 'a', dir, 'b', 'noreplace');
    return false;
  } catch (error) {
    return isFsError(error, 'exists');
  }
}

function tryExchange(dir: number): boolean {
  const before = statAt(dir, 'a');
  try {
    renameAt2(dir, 'a', dir, 'b', 'exchange');
    return sameFile(statAt(dir, 'b'), before);
  } catch {
    return false;
  }
}

function tryAll(dir: number): Probe {
  for (const name of ['a', 'b']) withHandle(openAt(dir, name, CREATE), (fd) => fs.writeSync(fd, name.repeat(4096)));
  const noreplace = tryNoreplace(dir);
  const exchange = tryExchange(dir);
  return withHandle(openAt(dir, 'b', O.RDONLY), (source) =>
    withHandle(openAt(dir, 'c', CREATE), (target) => ({
      openat2: true,
      noreplace,
      exchange,
      lease: tryReadLease(source),
      reflink: libc.ioctl(target, FICLONE, source) === 0,
    })),
  );
}

/** Old seccomp filters answer EPERM for calls that they do not know. */
const isMissingCall = (error: unknown): boolean =>
  isFsError(error) && (error.code === 'unsupported' || error.errno === ERRNO.EPERM);

/** Tries in a folder of its own (give the control folder): versions and mount options say less than a try. */
export function probe(dirfd: number): Probe {
  const name = `probe-${randomBytes(8).toString('hex')}`;
  mkdirAt(dirfd, name, 0o700);
  try {
    return withHandle(openAt(dirfd, name, O.PATH | O.DIRECTORY), (dir) => {
      try {
        return tryAll(dir);
      } finally {
        for (const entry of readDir(dir)) unlinkAt(dir, entry);
      }
    });
  } catch (error) {
    if (isMissingCall(error)) return NOTHING;
    throw error;
  } finally {
    unlinkAt(dirfd, name, true);
  }
}
