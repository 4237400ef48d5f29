import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Every path with kind, mode and bytes (hashed): read with plain calls, the control folder left out. */
export function treeOf(root: string, below = ''): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const name of readdirSync(join(root, below)).toSorted()) {
    const path = below === '' ? name : `${below}/${name}`;
    if (path === '.retrace') continue;
    const stat = lstatSync(join(root, path));
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) tree[path] = `link ${readlinkSync(join(root, path))}`;
    else if (stat.isDirectory()) Object.assign(tree, { [path]: `folder ${mode}` }, treeOf(root, path));
    else
      tree[path] = `file ${mode} ${createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex')}`;
  }
  return tree;
}
