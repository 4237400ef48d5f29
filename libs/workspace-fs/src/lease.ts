import os from 'node:os';
import { attempt, F, libc, sys } from './libc.js';
import { isFsError } from './safe-fs-error.js';

export type Lease = 'no-writer' | 'writer' | 'not-permitted' | 'unsupported';

/**
 * Proves that nobody has the file open for writing (also by mmap), then lets go at once: a held lease stalls
 * other people's open() for up to 45 s. `fd` must be open O_RDONLY.
 *
 * A writer that comes meanwhile makes the kernel signal us. SIGIO, the default, kills node; SIGURG is ignored
 * unless somebody listens, so it is chosen first.
 */
export function tryReadLease(fd: number): Lease {
  try {
    sys('setsig', undefined, () => libc.fcntl(fd, F.SETSIG, os.constants.signals.SIGURG));
    sys('lease', undefined, () => libc.fcntl(fd, F.SETLEASE, F.RDLCK));
    sys('unlease', undefined, () => libc.fcntl(fd, F.SETLEASE, F.UNLCK));
    return 'no-writer';
  } catch (error) {
    if (isFsError(error, 'busy')) return 'writer';
    return isFsError(error, 'not_permitted') ? 'not-permitted' : 'unsupported';
  }
}

/**
 * Answers whether nobody else has the file open, also by mmap; the lease is held until `fd`, open for writing, is closed,
 * and who opens the file meanwhile waits for that. Handles that only name it (`O_PATH`) do not count.
 */
export function tryWriteLease(fd: number): boolean {
  const lease = (): number => libc.fcntl(fd, F.SETLEASE, F.WRLCK);
  return libc.fcntl(fd, F.SETSIG, os.constants.signals.SIGURG) >= 0 && attempt(lease) >= 0;
}
