#!/usr/bin/env node
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createNote } from '../domain/note.js';
import { buildIndex, search } from '../search/index.js';
import { loadNotes, saveNotes } from '../storage/file-store.js';

const file = process.env.NOTES_FILE ?? new URL('../../data/notes.json', import.meta.url).pathname;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { tag: { type: 'string', multiple: true, default: [] } },
});
const [command, text = ''] = positionals;
const notes = await loadNotes(file);

if (command === 'add') {
  const note = createNote({ title: text, body: '', tags: values.tag }, randomUUID(), new Date().toISOString());
  await saveNotes(file, [...notes, note]);
} else if (command === 'find') {
  for (const { id, score } of search(buildIndex(notes), text)) console.log(id, score);
} else {
  console.error('usage: notes add TITLE [--tag TAG]… | notes find WORDS');
  process.exitCode = 2;
}
