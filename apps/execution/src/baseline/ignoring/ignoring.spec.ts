import { describe, expect, it } from '@jest/globals';
import { IgnoreStack, latin1 } from './ignore-stack.js';
import { parseIgnoreRules } from './ignore-rules.js';
import { wildmatch } from './wildmatch.js';

const ignores = (text: string, path: string, isFolder = false): boolean =>
  IgnoreStack.EMPTY.with('', parseIgnoreRules(text)).ignores(latin1(path), isFolder);

describe('a pattern', () => {
  it.each([
    ['a*c', 'abbc', true],
    ['a*c', 'ab/c', false],
    ['a?c', 'a/c', false],
    ['**/c', 'a/b/c', true],
    ['**/c', 'c', true],
    ['a/**', 'a/b/c', true],
    ['a/**', 'a', false],
    ['a/**/c', 'a/c', true],
    ['a/**/c', 'a/x/y/c', true],
    ['a**c', 'a/c', false],
    ['a/*/c', 'a/x/c', true],
    ['[!a]', 'b', true],
    ['[^a]', 'a', false],
    ['[]-]', ']', true],
    ['[a-c]x', 'bx', true],
    ['[[:digit:]x]', '7', true],
    ['[[:nothing:]]', 'n', false],
    ['[a', 'a', false],
    ['[[:x]', ':', true],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['a\\', 'a\\', false],
  ])('%s against %s: %s', (pattern, text, expected) => {
    expect(wildmatch(pattern, text)).toBe(expected);
  });

  it('of many stars ends soon', () => {
    expect(wildmatch('*a'.repeat(60) + 'b', 'a'.repeat(4000))).toBe(false);
  });
});

describe('an ignore file', () => {
  it.each([
    ['# comment', '# comment', false],
    ['\\#x', '#x', true],
    ['\\!x', '!x', true],
    ['x  ', 'x', true],
    ['x\\ ', 'x ', true],
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
    const deep = top.with('a', parseIgnoreRules('!keep.log\n/only'));
    expect(['a/keep.log', 'a/other.log', 'a/only', 'a/x/only'].map((path) => deep.ignores(path, false))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([top.ignores('keep.log', false), top.ignores('c/b', true)]).toEqual([true, true]);
  });
});
