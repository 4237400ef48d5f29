import { describe, expect, it } from '@jest/globals';
import type { StoreHealth } from '@retrace/blob-store';
import { checksOf } from './checks-of.js';

const GIB = 1024 ** 3;
const well: StoreHealth = {
  place: '/data/blobs',
  disk: { total: 100 * GIB, free: 50 * GIB },
  index: 'present',
  probe: { bytes: 10 },
};
const statuses = (health: Partial<StoreHealth>) => checksOf({ ...well, ...health }).map(({ status }) => status);

describe('checks of the blob store', () => {
  it('are all well for a store that is', () => {
    expect(statuses({})).toEqual(['ok', 'ok', 'ok']);
    expect(checksOf(well).map(({ remedy }) => remedy)).toEqual([null, null, null]);
    expect(checksOf(well)[1]!.found).toBe('51200 MiB of 102400 MiB free at /data/blobs');
  });

  it.each<[string, Partial<StoreHealth>, string[]]>([
    ['a probe that failed', { probe: { problem: 'ENOSPC' } }, ['failed', 'ok', 'ok']],
    ['a disk that is nearly full', { disk: { total: 100 * GIB, free: GIB } }, ['ok', 'warning', 'ok']],
    ['a small disk that is half empty', { disk: { total: GIB, free: GIB / 2 } }, ['ok', 'ok', 'ok']],
    ['a full disk', { disk: { total: 100 * GIB, free: 0 } }, ['ok', 'failed', 'ok']],
    ['a disk that nobody can measure', { disk: undefined }, ['ok', 'warning', 'ok']],
    ['an index that is gone', { index: 'gone' }, ['ok', 'ok', 'failed']],
  ])('tell of %s, and what to do', (_, health, expected) => {
    expect(statuses(health)).toEqual(expected);
    const unwell = checksOf({ ...well, ...health }).filter(({ status }) => status !== 'ok');
    for (const { remedy, found } of unwell) {
      expect(remedy).not.toBeNull();
      expect(found + remedy).toContain('/data/blobs');
    }
  });
});
