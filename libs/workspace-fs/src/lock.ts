import { libc, LOCK, sys } from './libc.js';
import { isFsError } from './safe-fs-error.js';

/**
 * Takes an exclusive kernel lock for as long as `fd` stays open; answers false when somebody else holds it.
 * flock, not fcntl: POSIX locks vanish when any handle of the file in this process closes.
 */
export function lockFile(fd: number): boolean {
  try {
    sys('flock', undefined, () => libc.flock(fd, LOCK.EX | LOCK.NB));
    return true;
  } catch (error) {
    if (isFsError(error, 'busy')) return false;
    throw error;
  }
}
