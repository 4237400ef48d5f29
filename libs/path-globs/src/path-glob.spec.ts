import { describe, expect, it } from '@jest/globals';
import { pathGlob } from './path-glob.js';

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

  it.each(['', ' ', '!src/**', '# note'])('is refused where it names nothing: %j', (glob) =>
    expect(() => pathGlob(glob)).toThrow(expect.objectContaining({ code: 'bad_request' })),
  );

  it('is refused where it cannot be read', () =>
    expect(() => pathGlob('\\\\\\')).toThrow(expect.objectContaining({ code: 'bad_request' })));

  it.each(['.', '..', '../x', '/abs', './x', ''])('names nothing outside: %j', (path) =>
    expect(['**', '*', 'x'].some((glob) => pathGlob(glob)(path))).toBe(false),
  );

  it('reads a name with a line end', () => expect(named('d/*', 'd/a\nb')).toEqual(['d/a\nb']));

  it.each([
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'src/a.tsx', false],
    ['/src/*.ts', 'lib/src/a.ts', false],
    ['docs/', 'docs/a/b', true],
    ['docs/', 'docs', true],
    ['docs/', 'mydocs/a', false],
    ['**', 'a', true],
    ['*.TS', 'a.ts', false],
    ['a?c', 'a\nc', true],
  ])('%j and %j: %s', (glob, path, expected) => expect(pathGlob(glob)(path)).toBe(expected));
});
