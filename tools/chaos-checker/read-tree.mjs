import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** What stands at every path of the workspace, the control folder left out. */
export function readTree(root, below = '', tree = {}) {
  for (const name of readdirSync(join(root, below)).toSorted()) {
    const path = below === '' ? name : `${below}/${name}`;
    if (path === '.retrace') continue;
    tree[path] = stateOf(join(root, path));
    if (tree[path].kind === 'directory') readTree(root, path, tree);
  }
  return tree;
}

function stateOf(file) {
  const stat = lstatSync(file);
  const mode = stat.mode & 0o7777;
  if (stat.isSymbolicLink()) return { kind: 'link', target: readlinkSync(file) };
  if (stat.isDirectory()) return { kind: 'directory', mode };
  if (!stat.isFile()) return { kind: 'other' };
  const bytes = readFileSync(file);
  return { kind: 'file', hash: sha256(bytes), size: bytes.length, mode };
}

/** What the system has left in its own places for what is on its way: all of it should be gone when it is at rest. */
export function readControl(root, home) {
  const places = { staging: join(root, '.retrace', 'staging'), blobs: join(home, 'data', 'snapshot', 'blobs', 'tmp') };
  const found = {};
  for (const [name, place] of Object.entries(places)) found[name] = existsSync(place) ? readdirSync(place) : [];
  return { ...found, control: existsSync(join(root, '.retrace')) ? readdirSync(join(root, '.retrace')) : [] };
}
