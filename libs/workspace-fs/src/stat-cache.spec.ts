import { describe, expect, it } from '@jest/globals';
import type { Stat } from './stat.js';
import { StatCache } from './stat-cache.js';
import { fileOf } from './testing/temporary-workspace.js';

const SECOND = 1_000_000_000n;
const { hash } = fileOf('a');

const looked = (over: Partial<Stat> = {}): Stat => ({
  ino: 1n,
  dev: 1n,
  size: 3n,
  mtimeNs: 10n * SECOND,
  ctimeNs: 10n * SECOND,
  atNs: 20n * SECOND,
  nlink: 1,
  mode: 0o100644,
  uid: 0,
  gid: 0,
  isFile: true,
  isFolder: false,
  isLink: false,
  ...over,
});

describe('StatCache', () => {
  it('knows the hash while device, inode, size, mtime and ctime stay', () => {
    const cache = new StatCache();
    cache.remember(looked(), hash);
    expect(cache.lookup(looked({ atNs: 99n * SECOND }))).toBe(hash);
    const moved: Partial<Stat>[] = [{ ino: 2n }, { dev: 2n }, { size: 4n }, { mtimeNs: 9n }, { ctimeNs: 9n }];
    for (const change of moved) expect(cache.lookup(looked(change))).toBeUndefined();
  });

  it('distrusts a file that was written within 2 s before it was hashed', () => {
    const cache = new StatCache();
    cache.remember(looked({ atNs: 12n * SECOND }), hash);
    expect(cache.lookup(looked())).toBeUndefined();
    cache.remember(looked({ atNs: 12n * SECOND + 1n }), hash);
    expect(cache.lookup(looked())).toBe(hash);
  });

  it('forgets what it knew when the newer hash is in doubt', () => {
    const cache = new StatCache();
    cache.remember(looked(), hash);
    cache.remember(looked({ atNs: 11n * SECOND }), hash);
    expect(cache.lookup(looked())).toBeUndefined();
  });

  it('forgets the entry used longest ago', () => {
    const cache = new StatCache(2);
    cache.remember(looked({ ino: 1n }), hash);
    cache.remember(looked({ ino: 2n }), hash);
    cache.lookup(looked({ ino: 1n }));
    cache.remember(looked({ ino: 3n }), hash);
    expect([1n, 2n, 3n].map((ino) => cache.lookup(looked({ ino })) !== undefined)).toEqual([true, false, true]);
  });
});
