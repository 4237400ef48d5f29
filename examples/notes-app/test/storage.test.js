import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '../src/storage/migrate.js';
import { loadNotes, saveNotes } from '../src/storage/file-store.js';

test('what was saved is loaded again', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'notes-')), 'notes.json');
  assert.deepEqual(await loadNotes(file), []);
  await saveNotes(file, [{ id: 'a', tags: [] }]);
  assert.deepEqual(await loadNotes(file), [{ id: 'a', tags: [] }]);
});

test('version 1 files are migrated', () => {
  assert.deepEqual(migrate({ version: 1, notes: [{ id: 'a', tags: 'x,y' }] }).notes[0].tags, ['x', 'y']);
});
