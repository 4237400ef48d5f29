import { canonicalPath, CONTROL_FOLDER, type FsList, RetraceError } from '@retrace/contracts';
import {
  captureState,
  isFsError,
  type Name,
  openFolder,
  readDir,
  readlinkAt,
  type Stat,
  statAt,
  withHandle,
} from '@retrace/workspace-fs';
import type { z } from 'zod';
import type { Workspace } from '../workspaces/workspace.js';
import { asRetraceError, canonicalOf } from './facts.js';
import type { Reader, ReadGate } from './read-gate.js';

type Listing = z.infer<typeof FsList.reply>;
type Entry = Listing['entries'][number];

/** A name that stands for anything in a folder: rules that reach into it name this, too. */
const ANYTHING = '_';

interface Query {
  readonly path: string;
  readonly after?: string | undefined;
  readonly limit: number;
}

/**
 * What a folder holds, as far as the reader may see it: an entry whose path it may read, and a folder that may hold such.
 * Throws what the gate throws; `absent`, `not_a_folder`.
 */
export function listFolder(workspace: Workspace, gate: ReadGate, reader: Reader, query: Query): Listing {
  const folder = gate.enter(reader, query.path, (typed) => folderOf(workspace, typed));
  try {
    requireFolder(workspace, gate, reader, folder);
    return pageOf(workspace, gate, reader, folder, query);
  } catch (error) {
    throw asRetraceError(error, folder === '' ? '.' : folder);
  }
}

/** Only the root has no path of its own. */
function folderOf(workspace: Workspace, typed: string): string {
  const parsed = canonicalPath(typed);
  if (!parsed.ok && parsed.code === 'path_empty' && typed !== '') return '';
  return canonicalOf(workspace, typed.replace(/\/+$/, ''));
}

/** What is no folder tells nothing to who may not read it. */
function requireFolder({ root, cache }: Workspace, gate: ReadGate, reader: Reader, folder: string): void {
  if (folder === '') return;
  const { state } = captureState(root.rootFd, folder, { cache });
  if (state.kind === 'directory') return;
  gate.requireRule(reader, folder);
  if (state.kind === 'absent') throw new RetraceError('absent', `${folder} does not exist`);
  throw new RetraceError('not_a_folder', `${folder} is no folder; stat tells what it is`);
}

function pageOf({ root }: Workspace, gate: ReadGate, reader: Reader, folder: string, { after, limit }: Query): Listing {
  return withHandle(openFolder(root.rootFd, folder === '' ? [] : folder.split('/')), (fd) => {
    const names = readDir(fd).filter((name) => folder !== '' || name !== CONTROL_FOLDER);
    const entries: Entry[] = [];
    let seen = false;
    for (const name of sortedBehind(names, after)) {
      const entry = visible(gate, reader, folder, name, () => entryOf(fd, name));
      if (!entry) continue;
      seen = true;
      if (entries.length === limit) return { entries, next: entries.at(-1)!.name };
      entries.push(entry);
    }
    if (!seen && after === undefined && folder !== '' && names.length > 0) gate.requireRule(reader, folder);
    return { entries, next: null };
  });
}

function sortedBehind(names: readonly Name[], after: string | undefined): Name[] {
  const last = after === undefined ? undefined : Buffer.from(after);
  const keyed = names.map((name) => ({ name, key: Buffer.from(name.toString()) }));
  const rest = last ? keyed.filter(({ key }) => Buffer.compare(key, last) > 0) : keyed;
  return rest.toSorted((a, b) => Buffer.compare(a.key, b.key)).map(({ name }) => name);
}

function visible(
  gate: ReadGate,
  reader: Reader,
  folder: string,
  name: Name,
  look: () => Entry | undefined,
): Entry | undefined {
  const path = folder === '' ? name.toString() : `${folder}/${name.toString()}`;
  if (gate.mayRead(reader, path)) return look();
  if (!gate.mayRead(reader, `${path}/${ANYTHING}`)) return undefined;
  const entry = look();
  return entry?.kind === 'directory' ? entry : undefined;
}

/** Undefined where it is gone meanwhile. */
function entryOf(fd: number, name: Name): Entry | undefined {
  try {
    const stat = statAt(fd, name);
    return {
      name: name.toString(),
      kind: kindOf(stat),
      size: stat.isFile ? Number(stat.size) : 0,
      mode: stat.mode & 0o7777,
      modified_at: timeOf(stat),
      target: stat.isLink ? readlinkAt(fd, name).toString() : null,
    };
  } catch (error) {
    if (isFsError(error, 'absent')) return undefined;
    throw error;
  }
}

const kindOf = ({ isFile, isFolder, isLink }: Stat): Entry['kind'] =>
  isFile ? 'file' : isFolder ? 'directory' : isLink ? 'link' : 'other';

/** RFC 3339, to the millisecond. */
export const timeOf = ({ mtimeNs }: Pick<Stat, 'mtimeNs'>): string =>
  new Date(Number(mtimeNs / 1_000_000n)).toISOString();
