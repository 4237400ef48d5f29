import { closeSync, readFileSync } from 'node:fs';
import { isFsError, O, openAt, statAt, statFd } from '@retrace/workspace-fs';
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.js';

/** The later file adds to the earlier one: where both have something to say of a path, it decides. */
export const IGNORE_FILES = ['.gitignore', '.retraceignore'] as const;

const MOST_BYTES = 8n * 1024n * 1024n;

export interface RulesFile {
  readonly name: string;
  readonly rules: IgnoreRules;
}

/** The ignore files of a folder, by its handle. One that is a link, or cannot be read, has no say: as with git. */
export const rulesAt = (dirfd: number, names: ReadonlySet<unknown>): RulesFile[] =>
  IGNORE_FILES.filter((name) => names.has(name)).flatMap((name) => {
    const text = textOf(dirfd, name);
    return text === undefined ? [] : [{ name, rules: parseIgnoreRules(text) }];
  });

function textOf(dirfd: number, name: string): string | undefined {
  try {
    // To open a FIFO would already be noticed by whoever writes to it.
    if (!statAt(dirfd, name).isFile) return undefined;
    const fd = openAt(dirfd, name, O.RDONLY);
    try {
      const { isFile, size } = statFd(fd);
      return isFile && size <= MOST_BYTES ? readFileSync(fd, 'latin1') : undefined;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (isFsError(error)) return undefined;
    throw error;
  }
}
