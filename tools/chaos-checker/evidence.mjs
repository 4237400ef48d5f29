import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { joinPages } from './join-pages.mjs';

/** Reads what was collected. `blob(hash)` answers bytes as they were read, or `undefined`. */
export function loadEvidence(folder) {
  const json = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const journals = readdirSync(join(folder, 'journals'))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({ agent: basename(name, '.jsonl'), lines: readLines(join(folder, 'journals', name)) }));
  return {
    journals,
    ...distinct(joinPages(readLines(join(folder, 'log.jsonl')))),
    inbox: readLines(join(folder, 'inbox.jsonl')),
    tree: json('tree.json'),
    control: json('control.json'),
    unreadable: json('unreadable-blobs.json'),
    blob: (hash) => {
      const file = join(folder, 'blobs', hash);
      return existsSync(file) ? readFileSync(file) : undefined;
    },
  };
}

const readLines = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** An id that stands in the log again is the same event: the first one counts, wherever a reader heard of it. */
function distinct(all) {
  const byId = new Map();
  const contradictions = [];
  for (const event of all) {
    const first = byId.get(event.id);
    if (!first) byId.set(event.id, { ...event, places: [event.sequence] });
    else {
      first.places.push(event.sequence);
      if (JSON.stringify(first.data) !== JSON.stringify(event.data)) contradictions.push({ first, second: event });
    }
  }
  return { events: [...byId.values()], contradictions };
}
