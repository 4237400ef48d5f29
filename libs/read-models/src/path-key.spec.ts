import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { keysBelow, pathKey } from './path-key.js';

const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', '0', 'ä', '\u{1f600}'), minLength: 1, maxLength: 250 });
const path = fc.array(name, { minLength: 1, maxLength: 8 }).map((names) => names.join('/'));
/** As both databases compare texts. */
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('the key of a path', () => {
  it('is short, and its own for each path', () => {
    fc.assert(
      fc.property(path, path, (a, b) => {
        expect(Buffer.byteLength(pathKey(a))).toBeLessThan(600);
        expect(pathKey(a) === pathKey(b)).toBe(a === b);
      }),
    );
  });

  it('is in the range of keys below each folder that holds the path', () => {
    fc.assert(
      fc.property(path, path, (folder, below) => {
        const { from, before } = keysBelow(folder);
        const key = pathKey(`${folder}/${below}`);
        expect(compare(from, key)).toBeLessThanOrEqual(0);
        expect(compare(key, before)).toBeLessThan(0);
      }),
    );
  });

  it('of a short path is the path, and a range below one holds no neighbour', () => {
    expect(pathKey('src/a')).toBe('src/a');
    const { from, before } = keysBelow('src');
    for (const other of ['src', 'src.txt', 'src0', 'sr', 'ssrc/a'])
      expect(compare(from, other) <= 0 && compare(other, before) < 0).toBe(false);
  });
});
