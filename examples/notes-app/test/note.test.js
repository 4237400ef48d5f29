import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNote } from '../src/domain/note.js';

test('a note keeps each tag once, in lower case', () => {
  const note = createNote({ title: ' Tea ', body: '', tags: ['Home', 'home', ' '] }, 'n-1', '2026-01-01T00:00:00Z');
  assert.deepEqual([note.title, note.tags], ['Tea', ['home']]);
});

test('a note needs a title', () => {
  assert.throws(() => createNote({ title: ' ', body: '' }, 'n-1', '2026-01-01T00:00:00Z'), /title/);
});
