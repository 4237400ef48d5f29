import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { literalStart } from './literal-start.js';
import { pathGlob } from '@retrace/path-globs';

function isGlob(pattern: string): boolean {
  try {
    pathGlob(pattern);
    return true;
  } catch {
    return false;
  }
}

describe('what a glob begins with', () => {
  it('names only what begins as it says', () => {
    const glob = fc
      .array(fc.constantFrom('a', 'b', '/', '*', '**', '?', '[a]', '{a,b}', '\\', 'd/'), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join(''));
    const path = fc
      .array(fc.constantFrom('a', 'b', 'd', 'ab'), { minLength: 1, maxLength: 4 })
      .map((names) => names.join('/'));
    fc.assert(
      fc.property(glob, path, (pattern, name) => {
        const missed = isGlob(pattern) && pathGlob(pattern)(name) && !name.startsWith(literalStart(pattern));
        expect(missed).toBe(false);
      }),
      { numRuns: 5000 },
    );
  });

  it('says where to look', () => {
    const starts = {
      'docs/**': 'docs/',
      'docs/a*/b': 'docs/',
      '/a*': '',
      'a/b': 'a/',
      '*.md': '',
      'docs/': '',
      'docs/***': '',
      docs: '',
    };
    for (const [glob, start] of Object.entries(starts)) expect([glob, literalStart(glob)]).toEqual([glob, start]);
  });
});
