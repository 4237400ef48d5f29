import { readdirSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What stands in the control folder between operations. Spare files are empty of anybody's content until they are used. */
const AT_HOME = /^\.retrace\/(\.gitignore|lock|spare\/\d+)$/;

/** Files that nobody should find once nothing is under way: of a workspace and of the services. */
export function leftovers(root: string, data: string): string[] {
  const staged = filesIn(join(root, '.retrace')).filter((file) => !AT_HOME.test(relative(root, file)));
  const temporary = filesIn(data).filter((file) => /(^|\/)tmp\/|\.(new|tmp)$/.test(relative(data, file)));
  return [...staged, ...temporary];
}

/** Whether a process that lives has the file open. */
export function isUnderWay(file: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => openFilesOf(pid).includes(file));
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));

function openFilesOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    // It ended meanwhile, or is somebody else's.
    return [];
  }
}
