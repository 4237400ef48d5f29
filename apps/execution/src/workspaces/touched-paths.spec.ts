import { describe, expect, it } from '@jest/globals';
import { TouchedPaths } from './touched-paths.js';

describe('TouchedPaths', () => {
  const touched = new TouchedPaths();
  touched.add('a/b/c');
  touched.add('top');

  it.each(['a/b/c', 'a/b', 'a', 'a/b/c/d', 'a/b/c/d/e', 'top', 'top/x'])('overlap with %s', (path) => {
    expect(touched.overlaps(path)).toBe(true);
  });

  it.each(['a/b/cc', 'a/bb', 'a/b/d', 'b', 'to', 'top2', 'topx/y', 'c'])('have nothing to do with %s', (path) => {
    expect(touched.overlaps(path)).toBe(false);
  });
});
