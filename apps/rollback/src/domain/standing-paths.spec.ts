import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { StandingPaths } from './standing-paths.js';

const names = fc.array(fc.constantFrom('a', 'a-', 'b', 'é', '\u{1f600}'), { minLength: 1, maxLength: 4 });
const paths = names.map((parts) => parts.join('/'));
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

describe('the paths that stand', () => {
  it('are found as by looking at each in turn', () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(paths, { maxLength: 40 }),
        fc.array(fc.tuple(paths, fc.boolean()), { maxLength: 40 }),
        paths,
        (all, changes, asked) => {
          const sorted = all.toSorted(byText);
          const stands = new Set(sorted.filter((path) => path.includes('b')));
          const found = new StandingPaths(sorted, (path) => stands.has(path));
          for (const [path, now] of changes) {
            found.set(path, now);
            if (!sorted.includes(path)) continue;
            if (now) stands.add(path);
            else stands.delete(path);
          }
          for (const text of [asked, `${asked}/`, ''])
            expect(found.startingWith(text)).toBe(sorted.find((path) => stands.has(path) && path.startsWith(text)));
        },
      ),
      { numRuns: 1000 },
    ));
});
