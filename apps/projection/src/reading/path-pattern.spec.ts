import { describe, expect, it } from '@jest/globals';
import { pathPattern } from './path-pattern.js';

describe('a pattern of paths', () => {
  it.each([
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'src/a.tsx', false],
    ['/src/*.ts', 'src/a.ts', true],
    ['/src/*.ts', 'lib/src/a.ts', false],
    ['src/**', 'src/a/b', true],
    ['docs/', 'docs/a/b', true],
    ['docs/', 'docs', true],
    ['docs/', 'mydocs/a', false],
    ['**', 'a', true],
    ['*.TS', 'a.ts', false],
    ['a?c', 'a\nc', true],
  ])('%j and %j: %s, as in a policy', (pattern, path, expected) => {
    expect(pathPattern(pattern)(path)).toBe(expected);
  });

  it.each(['', ' ', '!src/**', '# note'])('that names nothing is refused: %j', (pattern) => {
    expect(() => pathPattern(pattern)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});
