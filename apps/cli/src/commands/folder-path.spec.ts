import { expect, it } from '@jest/globals';
import { withoutLastSlash } from './folder-path.js';

it.each([
  ['docs/', 'docs'],
  ['docs//', 'docs'],
  ['docs', 'docs'],
  ['a/b', 'a/b'],
  ['/', '/'],
  ['', ''],
])('%j names %j', (typed, path) => expect(withoutLastSlash(typed)).toBe(path));
