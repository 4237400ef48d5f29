import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of the tree that the agents work on, chosen by what is there: the demo takes any folder. */
export interface Targets {
  /** A folder that is there or can be made; the agents write below it. */
  readonly docs: string;
  /** Existing text files that the writer overwrites; executables first, so that kept modes show. */
  readonly overwrite: readonly string[];
  /** Existing text files that the writer edits; odd endings and marks first. */
  readonly edit: readonly string[];
  /** An existing file that the writer deletes. */
  readonly remove: readonly string[];
}

const LARGEST = 256 * 1024;
const SKIPPED = new Set(['.git', '.retrace', 'node_modules']);

interface Found {
  readonly path: string;
  readonly executable: boolean;
  readonly odd: boolean;
  readonly editable: boolean;
}

export function chooseTargets(root: string): Targets {
  const found = [...textFiles(root, '')].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const overwrite = first(found, (file) => file.executable, 1).concat(
    first(found, (file) => !file.executable && !file.odd, 2),
  );
  const rest = found.filter((file) => !overwrite.includes(file) && file.editable);
  const edit = first(rest, (file) => file.odd, 2).concat(first(rest, (file) => !file.odd, 2));
  const remove = found.filter((file) => !overwrite.includes(file) && !edit.includes(file)).slice(-1);
  const paths = (files: readonly Found[]): string[] => files.map(({ path }) => path);
  return { docs: docsFolder(root), overwrite: paths(overwrite), edit: paths(edit), remove: paths(remove) };
}

const first = (files: readonly Found[], fits: (file: Found) => boolean, count: number): Found[] =>
  files.filter(fits).slice(0, count);

/** `docs`, unless something else than a folder has that name. */
function docsFolder(root: string): string {
  const stat = lstatSync(join(root, 'docs'), { throwIfNoEntry: false });
  return stat === undefined || stat.isDirectory() ? 'docs' : 'retrace-demo';
}

function* textFiles(root: string, below: string): Iterable<Found> {
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* textFiles(root, path);
    else if (entry.isFile()) yield* textFile(root, path);
  }
}

function* textFile(root: string, path: string): Iterable<Found> {
  const { size, mode, nlink } = lstatSync(join(root, path));
  if (size === 0 || size > LARGEST || nlink > 1) return;
  const bytes = readFileSync(join(root, path));
  if (bytes.includes(0)) return;
  const odd = bytes.includes('\r\n') || bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  yield { path, executable: (mode & 0o111) !== 0, odd, editable: uniqueLine(bytes) !== undefined };
}

/** The first line of a file that stands there once: what an edit can name. Read as UTF-8; `undefined` where there is none. */
export function uniqueLine(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  const lines = text.split(/\r?\n/).map((line) => line.replace(/^\uFEFF/, ''));
  return lines.find((line) => line.trim().length > 3 && !line.includes('\uFFFD') && text.split(line).length === 2);
}
