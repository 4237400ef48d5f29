import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { literalStart } from './literal-start.js';
import { pathGlob } from './path-glob.js';

function isGlob(pattern: string): boolean {
  try {
    pathGlob(pattern);
    return true;
  } catch {
    return false;
  }
}

const named = (glob: string, ...paths: string[]) => paths.filter(pathGlob(glob));

describe('a glob', () => {
  it('reads as in a policy', () => {
    expect(named('*.md', 'a.md', 'd/b.md', 'a.mdx')).toEqual(['a.md', 'd/b.md']);
    expect(named('/*.md', 'a.md', 'd/b.md')).toEqual(['a.md']);
    expect(named('docs/**', 'docs/a', 'docs/b/c', 'docs', 'x/docs/a')).toEqual(['docs/a', 'docs/b/c']);
    expect(named('d/?', 'd/a', 'd/ab', 'D/a')).toEqual(['d/a']);
  });

  it('has a set in brackets, and brackets behind a backslash', () => {
    expect(named('app/[id]/p', 'app/[id]/p', 'app/i/p', 'app/id/p')).toEqual(['app/i/p']);
    expect(named('app/\\[id\\]/p', 'app/[id]/p', 'app/i/p')).toEqual(['app/[id]/p']);
  });

  it('has alternatives in braces, also in one another', () => {
    expect(named('{a,b/{c,d}}/x', 'a/x', 'b/c/x', 'b/d/x', 'b/x', 'c/x')).toEqual(['a/x', 'b/c/x', 'b/d/x']);
    expect(named('\\{a,b\\}', '{a,b}', 'a', 'b')).toEqual(['{a,b}']);
    expect(named('{a}', '{a}', 'a')).toEqual(['{a}']);
  });

  it('names nothing where it only excludes', () => expect(named('!a', 'a', 'b')).toEqual([]));

  it('is refused where it cannot be read', () =>
    expect(() => pathGlob('\\\\\\')).toThrow(expect.objectContaining({ code: 'bad_request' })));

  it('reads a name with a line end', () => expect(named('d/*', 'd/a\nb')).toEqual(['d/a\nb']));

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
      docs: '',
    };
    for (const [glob, start] of Object.entries(starts)) expect([glob, literalStart(glob)]).toEqual([glob, start]);
  });
});
