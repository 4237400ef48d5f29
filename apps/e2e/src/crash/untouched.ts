import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What nobody may touch: bytes, mode, owner, times and inode of all that belongs to git or to a person. */
export function untouchables(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(isUntouchable);
  return Object.fromEntries(paths.map((path) => [path, everythingOf(join(root, path))]));
}

function everythingOf(file: string): string {
  const stat = lstatSync(file);
  const bytes = stat.isFile() ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';
  return [stat.ino, stat.mode.toString(8), stat.uid, stat.nlink, stat.mtimeMs, bytes].join(' ');
}

export const isUntouchable = (path: string): boolean => /(^|\/)(\.git(\/|$)|person\.txt$)/.test(path);
