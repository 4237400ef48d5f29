import { RetraceError } from '@retrace/contracts';
import { alternatives } from './alternatives.js';
import { GlobPattern } from './glob-pattern.js';

/** Answers whether a glob names a path. */
export type GlobTest = (path: string) => boolean;

/**
 * Globs over canonical paths as policies have them: gitignore patterns, case-sensitive, and `{a,b}` for alternatives. `\`
 * takes a sign literally. Throws {@link RetraceError} `bad_request` for one that names nothing or cannot be read.
 */
export function pathGlob(glob: string): GlobTest {
  if (glob.trim() === '' || /^[!#]/.test(glob))
    throw refused(
      glob,
      'names paths, such as "src/**/*.ts"; it is not empty and does not begin with "!" or "#" (write "\\#")',
    );
  const patterns = alternatives(glob).map((text) => new GlobPattern(text));
  try {
    for (const pattern of patterns) pattern.read();
  } catch (cause) {
    throw refused(glob, 'cannot be read: a backslash takes the next sign literally, brackets are closed', cause);
  }
  return (path) => patterns.some((pattern) => pattern.matches(path));
}

const refused = (glob: string, why: string, cause?: unknown): RetraceError =>
  new RetraceError('bad_request', `the glob ${JSON.stringify(glob)} ${why}`, { cause });
