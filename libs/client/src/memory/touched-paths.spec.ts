import { pathsOverlap } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { TouchedPaths } from './touched-paths.js';

const path = fc.array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

describe('TouchedPaths', () => {
  it('overlaps as the paths that are in it do, each as often as it was added', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(path, fc.boolean())), path, (steps, asked) => {
        const touched = new TouchedPaths();
        const inIt: string[] = [];
        for (const [one, add] of steps) {
          if (add) {
            touched.add(one);
            inIt.push(one);
          } else if (inIt.includes(one)) {
            touched.remove(one);
            inIt.splice(inIt.indexOf(one), 1);
          }
        }
        expect(touched.overlaps(asked)).toBe(inIt.some((one) => pathsOverlap(one, asked)));
        expect(touched.empty).toBe(inIt.length === 0);
      }),
    );
  });

  it('takes the root for everything', () => {
    const touched = new TouchedPaths();
    touched.add('');
    expect(touched.overlaps('a/b')).toBe(true);
    touched.remove('');
    expect(touched.overlaps('a/b')).toBe(false);
  });
});
