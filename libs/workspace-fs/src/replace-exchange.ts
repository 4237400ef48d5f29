import fs from 'node:fs';
import { readDir, renameAt2 } from './entries.js';
import { openAt, reopen, withHandle } from './handles.js';
import { tryReadLease, type Lease } from './lease.js';
import { O } from './libc.js';
import type { Name } from './names.js';
import { isFsError } from './safe-fs-error.js';
import { sameFile, sameState, statFd, type Stat } from './stat.js';

/** `foreign`: what lies under the staged name is somebody's newer version; it must be kept. */
export type Replaced =
  { outcome: 'replaced'; lease: Lease } | { outcome: 'changed' | 'writer'; staged: 'ours' | 'foreign'; swaps: number };

export interface Exchange {
  dirfd: number;
  name: Name;
  stagingFd: number;
  stageName: Name;
  /** What should come out. The caller holds a handle of it open until the call returns: inode numbers are reused. */
  expected: Stat;
  /** Replace even while somebody has the old file open for writing. */
  allowWriter?: boolean;
}

const MOST_SWAPS = 200;

/** Asks whether somebody writes to the regular file that an O_PATH handle holds. */
export function leaseOf(fd: number): Lease {
  try {
    return withHandle(reopen(fd, O.RDONLY), tryReadLease);
  } catch (error) {
    if (isFsError(error, 'busy')) return 'writer'; // somebody holds a write lease
    if (isFsError(error, 'not_permitted')) return 'not-permitted';
    throw error;
  }
}

/** A folder's times and size move when it changes parents; its identity, mode and emptiness do not. */
export function isAsExpected(fd: number, expected: Stat): boolean {
  const now = statFd(fd);
  if (!expected.isFolder) return sameState(now, expected);
  return sameFile(now, expected) && now.mode === expected.mode && readDir(fd).length === 0;
}

/** Looks at what was taken out: the lease first, so that a write that ended just before it still counts as a change. */
export function judge(fd: number, expected: Stat): Lease | 'changed' {
  if (!isAsExpected(fd, expected)) return 'changed';
  if (!expected.isFile) return 'no-writer';
  const lease = leaseOf(fd);
  return isAsExpected(fd, expected) ? lease : 'changed';
}

/**
 * Exchanges the staged object with the one at `name`, checks what came out, and otherwise gives it back.
 * Nothing is ever unlinked here. An error thrown between the exchange and the check is like a crash there: classify.
 */
export function replaceExchange(exchange: Exchange): Replaced {
  const { dirfd, name, stagingFd, stageName, expected, allowWriter } = exchange;
  const held: number[] = [];
  const swap = (): void => renameAt2(stagingFd, stageName, dirfd, name, 'exchange');
  // A freed inode number is given out again at once: identity means something only while a handle keeps the inode.
  const hold = (): number => {
    const fd = openAt(stagingFd, stageName, O.PATH);
    held.push(fd);
    return fd;
  };
  try {
    const ours = statFd(hold());
    swap();
    const out = hold();
    const verdict = judge(out, expected);
    const refused = verdict === 'changed' || (verdict === 'writer' && allowWriter !== true);
    if (!refused) return { outcome: 'replaced', lease: verdict };
    return { outcome: verdict, ...giveBack(ours, statFd(out), swap, () => statFd(hold())) };
  } finally {
    for (const fd of held) fs.closeSync(fd);
  }
}

/**
 * Swaps until what comes out is what was last put in. Giving back can meet a version that somebody renamed into
 * place meanwhile (over ours, which is gone then): that one is newer, so it goes back in its turn.
 */
export function giveBack(
  ours: Stat,
  taken: Stat,
  swap: () => void,
  hold: () => Stat,
): { staged: 'ours' | 'foreign'; swaps: number } {
  let put = ours;
  let out = taken;
  for (let swaps = 1; ; swaps++) {
    const giving = out;
    try {
      swap();
    } catch (error) {
      // Deleted meanwhile: that is the newest word; what came out stays under the staged name.
      if (isFsError(error, 'absent')) return { staged: 'foreign', swaps };
      throw error;
    }
    out = hold();
    if (sameFile(out, put) || swaps >= MOST_SWAPS) return { staged: sameFile(out, ours) ? 'ours' : 'foreign', swaps };
    put = giving;
  }
}
