import { CONTROL_FOLDER } from '@retrace/contracts';
import fs from 'node:fs';
import { unlessAbsent } from './capture.js';
import { openFolder, procPath, splitPath, withHandle } from './handles.js';
import { viaNode } from './safe-fs-error.js';

/** A folder's entry as its listing tells it; `name` has U+FFFD where its bytes are not UTF-8. */
interface Entry {
  name: string;
  isFolder: boolean;
}

/** One path below a folder; it has U+FFFD where a name's bytes are not UTF-8. */
export interface Walked {
  path: string;
  isFolder: boolean;
}

function entriesOf(rootFd: number, folder: string): Entry[] {
  const names = folder === '' ? [] : splitPath(folder);
  return withHandle(openFolder(rootFd, names), (fd) =>
    viaNode('walkTree', folder, () => fs.readdirSync(procPath(fd), { withFileTypes: true })),
  )
    .filter(({ name }) => folder !== '' || name !== CONTROL_FOLDER)
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
}

const compare = (a: Buffer, b: Buffer): number => Buffer.compare(a, b);

interface Visit {
  key: Buffer;
  entry: Entry;
  /** Its entries, which come where `name/` stands in the order: `a`, `a.txt`, `a/b`. */
  inside: boolean;
}

/** Each folder twice: itself, and what lies in it. */
function visitsOf(entries: readonly Entry[]): Visit[] {
  return entries
    .flatMap((entry) => {
      const own: Visit = { key: Buffer.from(entry.name), entry, inside: false };
      return entry.isFolder ? [own, { key: Buffer.from(`${entry.name}/`), entry, inside: true }] : [own];
    })
    .toSorted((a, b) => compare(a.key, b.key));
}

/**
 * Walks what lies below a folder (`''`: the root), without it and without the control folder, in the order of the UTF-8
 * bytes of the paths, so that a folder comes before what lies in it. Links are not followed. With `after`, begins behind
 * that path, wherever it would stand. Folders that vanish meanwhile are empty. No handle is open between two paths.
 * @throws SafeFsError not_permitted for a folder that cannot be listed
 */
export function* walkTree(rootFd: number, folder: string, after?: string): Generator<Walked, void, void> {
  const last = after === undefined ? undefined : Buffer.from(after);
  const entries = unlessAbsent(() => entriesOf(rootFd, folder)) ?? [];
  for (const { entry, inside } of visitsOf(entries)) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (inside) yield* walkInside(rootFd, path, last, after);
    else if (last === undefined || compare(Buffer.from(path), last) > 0) yield { path, isFolder: entry.isFolder };
  }
}

function* walkInside(
  rootFd: number,
  folder: string,
  last: Buffer | undefined,
  after: string | undefined,
): Generator<Walked, void, void> {
  const within = after?.startsWith(`${folder}/`) === true;
  // All of it comes before `after`, unless that lies in it.
  if (last !== undefined && !within && compare(Buffer.from(`${folder}/`), last) < 0) return;
  yield* walkTree(rootFd, folder, within ? after : undefined);
}
