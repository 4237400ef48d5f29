import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBlobs } from './read-blobs.mjs';
import { readControl, readTree } from './read-tree.mjs';
import { readStream } from './read-stream.mjs';

/** Writes all that is to be judged into one folder: raw messages, what stands on the disk, every blob that an event names. */
export async function collect({ home, workspace, root, folder }) {
  const { url } = JSON.parse(readFileSync(join(home, 'runtime.json'), 'utf8'));
  const { services } = JSON.parse(readFileSync(join(home, 'nats', 'credentials.json'), 'utf8'));
  const operator = JSON.parse(readFileSync(join(home, 'credentials', '_op-local.json'), 'utf8'));
  mkdirSync(join(folder, 'blobs'), { recursive: true });
  // Policy's user is the one that may read both streams.
  const log = await readStream({ url, ...services.policy }, 'RETRACE', `retrace.event.*.${workspace}.>`);
  const inbox = await readStream({ url, ...services.policy }, 'RETRACE_IN', `retrace.intent.${workspace}.>`);
  writeLines(join(folder, 'log.jsonl'), log);
  writeLines(join(folder, 'inbox.jsonl'), inbox);
  writeJson(join(folder, 'tree.json'), readTree(root));
  writeJson(join(folder, 'control.json'), readControl(root, home));
  const failed = await readBlobs({ url, ...operator }, workspace, log, join(folder, 'blobs'));
  writeJson(join(folder, 'unreadable-blobs.json'), failed);
}

const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 1)}\n`);
const writeLines = (file, lines) => writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
