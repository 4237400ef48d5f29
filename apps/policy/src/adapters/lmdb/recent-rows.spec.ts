import { describe, expect, it } from '@jest/globals';
import { RecentRows } from './recent-rows.js';

describe('rows held in memory', () => {
  const held = (rows: RecentRows, names: readonly string[]): string[] => names.filter((name) => rows.has(name));

  it('are those used last', () => {
    const rows = new RecentRows(2, () => true);
    for (const name of ['a', 'b', 'c']) rows.put(name, name);
    rows.has('a');
    for (const name of ['d', 'e']) rows.put(name, name);
    expect(held(rows, ['b', 'a'])).toEqual(['a']);
  });

  it('are all, as long as the store does not have them', () => {
    let written = false;
    const rows = new RecentRows(1, () => written);
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) rows.put(name, name);
    expect(held(rows, names)).toEqual(names);
    written = true;
    for (const name of ['e', 'f']) rows.put(name, name);
    expect(held(rows, names)).toEqual([]);
  });

  it('say that there is no such row', () => {
    const rows = new RecentRows(1, () => true);
    rows.put('a', undefined);
    expect([rows.has('a'), rows.get('a')]).toEqual([true, undefined]);
  });
});
