import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { MOST_BYTES_OF_PATTERN, MOST_PATTERNS, MOST_WORK, parseIgnoreRules } from './ignore-rules.js';
import { IgnoreStack } from './ignore-stack.js';

const split = (path: string): [string, string] => {
  const slash = path.lastIndexOf('/');
  return [slash < 0 ? '' : path.slice(0, slash), path.slice(slash + 1)];
};
const asks = (stack: IgnoreStack, path: string, isFolder = false): boolean => stack.ignores(...split(path), isFolder);
const ignores = (text: string, path: string, isFolder = false): boolean =>
  asks(IgnoreStack.EMPTY.with('', parseIgnoreRules(text)), path, isFolder);

describe('a pattern', () => {
  it.each([
    ['a*c', 'abbc', true],
    ['a*c', 'ab/c', false],
    ['a?c', 'abc', true],
    ['/a?c', 'a/c', false],
    ['**/c', 'a/b/c', true],
    ['**/c', 'c', true],
    ['a/**', 'a/b/c', true],
    ['a/**', 'a', false],
    ['/**', 'a/b', true],
    ['a/**/c', 'a/c', true],
    ['a/**/c', 'a/x/y/c', true],
    ['/a**c', 'a/c', false],
    ['/a**c', 'abc', true],
    ['a/*/c', 'a/x/c', true],
    ['[!a]', 'b', true],
    ['[^a]', 'a', false],
    ['[!a]c', 'a/c', false],
    ['[]-]', ']', true],
    ['[a-c]x', 'bx', true],
    ['[c-a]', 'b', false],
    ['[\\]a]', ']', true],
    ['[[:digit:]x]', '7', true],
    ['[![:digit:]]', '7', false],
    ['[[:nothing:]]', 'n', false],
    ['[a', 'a', false],
    ['[a', '[a', false],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['a\\', 'a\\', false],
    ['a+(b)|{c}$^.', 'a+(b)|{c}$^.', true],
    ['a.c', 'abc', false],
    ['A', 'a', false],
    ['a//b', 'a/b', false],
  ])('%s against %s: %s', (pattern, path, expected) => {
    expect(ignores(pattern, path)).toBe(expected);
  });

  it('names what has a line end, a blank or a no-break space in it, as any other sign', () => {
    expect(['a\nb', 'a\rb', 'a\tb', 'a\u2028b', 'a b'].map((path) => ignores('a*b', path))).not.toContain(false);
    expect([ignores('a\t', 'a'), ignores('a\t', 'a\t'), ignores('\xc3\xa0', 'à'), ignores('\xc3', 'Ã')]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('never fails, whatever is asked of it', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab/!#*?[]^-\\ .(){}|$+,:\n\0\xa0\xff'.split('')) });
    fc.assert(
      fc.property(text, fc.string(), fc.boolean(), (rules, path, isFolder) => {
        ignores(rules, path, isFolder);
      }),
      { numRuns: 2000 },
    );
    for (const path of ['../a', '/a', './a', '..', '', 'a//b', 'a/']) expect(ignores('x', path)).toBe(false);
  });
});

describe('an ignore file', () => {
  it.each([
    ['# comment', '# comment', false],
    ['\\#x', '#x', true],
    ['\\!x', '!x', true],
    ['x  ', 'x', true],
    ['x\\ ', 'x ', true],
    ['x \\  ', 'x  ', true],
    ['  ', ' ', false],
    ['x\r\n', 'x', true],
    ['\xef\xbb\xbfx', 'x', true],
    ['/x', 'a/x', false],
    ['x', 'a/x', true],
    ['a/x', 'b/a/x', false],
    ['x\n!x', 'x', false],
    ['!x\nx', 'x', true],
  ])('%j of %j: %s', (text, path, expected) => {
    expect(ignores(text, path)).toBe(expected);
  });

  it('means folders alone by a slash at the end, and bytes by a question mark', () => {
    expect([ignores('x/', 'x'), ignores('x/', 'x', true)]).toEqual([false, true]);
    expect([ignores('a?', 'aé'), ignores('a??', 'aé')]).toEqual([false, true]);
  });

  it('is overruled by one in a deeper folder, and by nothing in a folder beside it', () => {
    const top = IgnoreStack.EMPTY.with('', parseIgnoreRules('*.log\nb/'));
    const deep = top.with('é', parseIgnoreRules('!keep.log\n/only\n!b/'));
    const paths = ['é/keep.log', 'é/other.log', 'é/only', 'é/x/only', 'é/b/c', 'é/b/c.log'];
    expect(paths.map((path) => asks(deep, path))).toEqual([false, true, true, false, false, true]);
    expect([asks(top, 'keep.log'), asks(top, 'c/b', true), asks(deep, 'é/b', true)]).toEqual([true, true, false]);
  });

  it('decides the same of very many paths as of one', () => {
    const stack = IgnoreStack.EMPTY.with('', parseIgnoreRules('*7\n!a/'));
    const wrong = Array.from({ length: 60_000 }, (_, i) => `${'d'.repeat(20)}/${i}`).filter(
      (path) => asks(stack, path) !== path.endsWith('7'),
    );
    expect(wrong).toEqual([]);
  });
});

describe('a pattern that asks for too much is passed over, and told of', () => {
  const why = (text: string) => parseIgnoreRules(text).passedOver;

  it('where it is long', () => {
    const long = 'a'.repeat(MOST_BYTES_OF_PATTERN);
    expect(why(`${long}\n#${long}\nx\n${long}b`)).toEqual([{ line: 4, why: 'it has over 1000 bytes' }]);
    expect(ignores(`x\n${long}b\ny`, 'y')).toBe(true);
  });

  it('where it has many stars, other than those that cost nothing', () => {
    expect(why('*a*a*a*b\nx')).toEqual([{ line: 1, why: 'it has over 3 stars' }]);
    expect(why('a/**/b/**/c*d*e')).toHaveLength(1);
    expect(why(`${'*/'.repeat(20)}*.js\n${'*'.repeat(500)}a\n${'**/'.repeat(100)}*.min.*\n**/a/**/*.c/**`)).toEqual([]);
    expect(why('\\*a\\*a\\*a\\*[*]b')).toEqual([]);
  });

  it('where many came before it', () => {
    expect(why('*a*a*b\n'.repeat(20) + 'x\n*a*b')).toMatchObject([{ line: 22 }]);
    expect(why('*a*b\n'.repeat(MOST_WORK + 1))).toHaveLength(1);
    expect(why('x\n'.repeat(MOST_PATTERNS + 2))).toHaveLength(2);
  });

  it('so that hostile ones end on the longest names', () => {
    const patterns = ['*a', '*a*a', '?*', '[a]*', '**/a', 'a*/', '*'].map((part) => `${part.repeat(60)}b`);
    const rules = [...patterns, '*a*a*b', '**/a/**/a*b', '/*a*a*b'].join('\n');
    const names = ['a'.repeat(255), `${'a'.repeat(255)}/`.repeat(15) + 'a', `${'a/'.repeat(300)}a`];
    expect(names.map((path) => ignores(rules, path))).toEqual([false, false, false]);
  }, 60_000);
});
