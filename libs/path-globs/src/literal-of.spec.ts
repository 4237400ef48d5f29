import { expect, it } from '@jest/globals';
import { literalOf } from './literal-of.js';

it.each([
  ['*.md', '.md'],
  ['/sessions/*/workspace/', 'workspace'],
  ['a b?c', 'a'],
  ['x[ab]y', ''],
  ['\\!x', ''],
  ['**', ''],
])('%j holds %j for certain', (pattern, literal) => expect(literalOf(pattern)).toBe(literal));
