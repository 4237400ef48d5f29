import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildIndex, search } from '../src/search/index.js';

const index = buildIndex([
  { id: 'a', title: 'Tea', body: 'green tea' },
  { id: 'b', title: 'Shopping', body: 'tea and bread' },
]);

test('a word in the title counts more', () => {
  assert.deepEqual(search(index, 'tea').map(({ id }) => id), ['a', 'b']);
});

test('every word must be there', () => {
  assert.deepEqual(search(index, 'tea bread').map(({ id }) => id), ['b']);
});
