import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import createIgnore from 'ignore';
import { patternProblem } from './policy-schema.js';
import { PathMatcher } from './path-matcher.js';

const names = (patterns: string[], path: string): boolean =>
  new PathMatcher(patterns).decidingPattern(path) !== undefined;

describe('a list of path patterns', () => {
  it.each<[string[], string, boolean]>([
    [['docs/**'], 'docs/a/b.md', true],
    [['docs/**'], 'docs', false],
    [['docs/**'], 'src/docs/a', false],
    [['docs/'], 'docs', true],
    [['docs/'], 'src/docs/a', true],
    [['/docs/'], 'src/docs/a', false],
    [['*.md'], 'a/b/README.md', true],
    [['*.md'], 'README.MD', false],
    [['**'], '.hidden/x', true],
    [['docs/**', '!docs/private/**'], 'docs/open.md', true],
    [['docs/**', '!docs/private/**'], 'docs/private/a/b', false],
    [['docs/**', '!docs/private/**', 'docs/private/open.md'], 'docs/private/open.md', true],
    [['docs', '!docs/private'], 'docs/private/x', false],
    [['app/\\[id\\]/page.tsx'], 'app/[id]/page.tsx', true],
    [['app/\\[id\\]/page.tsx'], 'app/i/page.tsx', false],
    [['app/[id]/page.tsx'], 'app/i/page.tsx', true],
    [['app/[id]/page.tsx'], 'app/[id]/page.tsx', false],
    [['**/secret.env'], 'a\nb/secret.env', true],
    [['docs/**'], 'docs/\n', true],
    [['\\!important'], '!important', true],
    [['\\#note'], '#note', true],
  ])('%j names %j: %s', (patterns, path, expected) => {
    expect(names(patterns, path)).toBe(expected);
  });

  it('answers the pattern that decided', () => {
    expect(new PathMatcher(['docs/**', '*.md']).decidingPattern('docs/a.md')).toBe('*.md');
  });

  it('answers the same after it forgot what it remembered', () => {
    const matcher = new PathMatcher(['docs/**']);
    for (let i = 0; i < 3000; i++) matcher.decidingPattern(`docs/${'x'.repeat(200)}/${i}`);
    expect(matcher.decidingPattern('docs/a')).toBe('docs/**');
    expect(matcher.decidingPattern('src/a')).toBeUndefined();
  });

  it('property: one pattern names what gitignore names, though most paths are not tried against it', () => {
    const piece = fc.constantFrom('a', 'b', '.env', '*', '**', '?', '/', '[ab]', '\\*', ' ', 'ab');
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 6 })
      .map((pieces) => pieces.join(''))
      .filter((text) => patternProblem(text) === undefined);
    const name = fc.constantFrom('a', 'b', 'ab', '.env', 'x.env', '*', 'a b', 'a ');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((all) => all.join('/'));
    fc.assert(
      fc.property(pattern, path, (text, at) => {
        const plain = createIgnore({ ignorecase: false }).add([text]);
        expect(names([text], at)).toBe(plain.ignores(at) || plain.ignores(`${at}/`));
      }),
      { numRuns: 2000 },
    );
  });
});
