#!/usr/bin/env node
// Writes docs/spec/schemas from the contracts as they are built; with --check it writes nothing and fails where they differ.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';
import { asyncapi } from './asyncapi.mjs';
import { docComments } from './doc-comments.mjs';
import { schemaFiles } from './json-schemas.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'docs/spec/schemas');

const comments = docComments(join(root, 'libs/contracts/src'));
const schemas = schemaFiles(comments);
const texts = new Map([...schemas].map(([name, schema]) => [name, JSON.stringify(schema)]));
texts.set('asyncapi.yaml', stringify(asyncapi(schemas, comments), { aliasDuplicateObjects: false, lineWidth: 0 }));

const wanted = new Map();
for (const [name, text] of texts) {
  const filepath = join(folder, name);
  wanted.set(name, await format(text, { ...(await resolveConfig(filepath)), filepath }));
}

const present = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
const stale = present.filter((name) => /\.(json|yaml)$/.test(name) && !wanted.has(name));
const current = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined);
const changed = [...wanted.keys()].filter((name) => current(name) !== wanted.get(name));

if (process.argv.includes('--check')) {
  if (changed.length + stale.length > 0) {
    const names = [...changed, ...stale].map((name) => `  docs/spec/schemas/${name}`);
    console.error(`the contracts say something else than these files:\n${names.join('\n')}`);
    console.error('run `npm run build && npm run docs:schemas` and commit what it writes');
    process.exitCode = 1;
  }
} else {
  for (const name of changed) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), wanted.get(name));
  }
  for (const name of stale) rmSync(join(folder, name));
  console.log(`docs/spec/schemas: ${wanted.size} files, ${changed.length} written, ${stale.length} removed`);
}
