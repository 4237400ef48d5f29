import { describe, expect, it } from '@jest/globals';
import { SafeFsError } from './safe-fs-error.js';
import type { Stat } from './stat.js';
import { giveBack } from './replace-exchange.js';

const version = (ino: bigint): Stat => ({
  ino,
  dev: 1n,
  size: 0n,
  mtimeNs: 0n,
  ctimeNs: 0n,
  atNs: 0n,
  nlink: 1,
  mode: 0o100644,
  uid: 0,
  gid: 0,
  isFile: true,
  isFolder: false,
  isLink: false,
});

const OURS = 100n;

/** The path holds ours, staging what was taken out; somebody renames `arriving[i]` onto the path before swap i. */
function world(taken: bigint, arriving: (bigint | 'deleted')[]) {
  let path: bigint | undefined = OURS;
  let staged = taken;
  const swap = (): void => {
    const arrival = arriving.shift();
    if (arrival !== undefined) path = arrival === 'deleted' ? undefined : arrival;
    if (path === undefined) throw new SafeFsError('absent', 'renameat2');
    [path, staged] = [staged, path];
  };
  const result = giveBack(version(OURS), version(taken), swap, () => version(staged));
  return { ...result, path, inStaging: staged };
}

describe('giveBack', () => {
  it('swaps once where nobody came between', () => {
    expect(world(1n, [])).toEqual({ staged: 'ours', swaps: 1, path: 1n, inStaging: OURS });
  });

  it('leaves the newest version at the path, however many come between', () => {
    expect(world(1n, [2n])).toEqual({ staged: 'foreign', swaps: 2, path: 2n, inStaging: 1n });
    expect(world(1n, [2n, 3n])).toMatchObject({ staged: 'foreign', path: 3n });
    expect(world(1n, [2n, 3n, 4n, 5n])).toMatchObject({ staged: 'foreign', path: 5n });
  });

  it('keeps what was taken where somebody deleted the path meanwhile', () => {
    expect(world(1n, ['deleted'])).toEqual({ staged: 'foreign', swaps: 1, path: undefined, inStaging: 1n });
  });
});
