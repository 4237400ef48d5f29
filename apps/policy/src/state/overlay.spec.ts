import { beforeEach, describe, expect, it } from '@jest/globals';
import { partitionOf } from '@retrace/contracts';
import type { Change, RowKey } from '../domain/rows.js';
import { Overlay } from './overlay.js';

const LANE = String(partitionOf('ws'));
const key = (name: string): RowKey => ['ws', name];
const member = (name: string, sequence: number): Change => ({ table: 'member', key: key(name), value: { sequence } });

describe('the overlay', () => {
  let overlay: Overlay;
  beforeEach(() => {
    overlay = new Overlay();
  });
  const put = (sequence: number, ...names: string[]) =>
    overlay.put(
      sequence,
      names.map((name) => member(name, sequence)),
    );
  const held = () => ['a', 'b', 'c'].filter((name) => overlay.find('member', key(name)));

  it('keeps a row until the store has the event that left it', () => {
    put(5, 'a', 'b');
    put(7, 'b', 'c');
    overlay.folded(LANE, 6);
    expect(held()).toEqual(['b', 'c']);
    overlay.folded(LANE, 7);
    expect(held()).toEqual([]);
  });

  it('lets go of rows that were put later than those of newer events', () => {
    put(7, 'a');
    put(5, 'b');
    put(6, 'c');
    overlay.folded(LANE, 5);
    expect(held()).toEqual(['a', 'c']);
    overlay.folded(LANE, 6);
    expect(held()).toEqual(['a']);
  });

  it('knows removed rows, and those of its own lane alone', () => {
    overlay.put(5, [{ table: 'member', key: key('a'), value: undefined }]);
    expect(overlay.find('member', key('a'))).toEqual({ value: undefined });
    overlay.folded('none', 9);
    expect(overlay.find('member', key('a'))).toEqual({ value: undefined });
  });
});
