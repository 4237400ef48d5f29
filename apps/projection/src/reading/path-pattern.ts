import { RetraceError } from '@retrace/contracts';
import createIgnore, { type Ignore } from 'ignore';

/** Bytes of paths that a matcher may remember before it is made anew: it forgets nothing by itself. */
const MEMORY = 1 << 20;

/**
 * Compiles one pattern in the dialect of the policies (that of gitignore, case-sensitive, from the workspace's root).
 * Throws {@link RetraceError} `bad_request` for one that can name nothing.
 */
export function pathPattern(pattern: string): (path: string) => boolean {
  if (pattern.trim() === '' || /^[!#]/.test(pattern))
    throw new RetraceError(
      'bad_request',
      `${JSON.stringify(pattern)}: a pattern names paths, such as "src/**/*.ts"; it is not empty and does not begin with "!" or "#" (write "\\#")`,
    );
  if (pattern === '**') return () => true;
  let matcher: Ignore | undefined;
  let remembered = 0;
  return (path) => {
    remembered += path.length * path.split('/').length;
    if (!matcher || remembered > MEMORY) {
      matcher = createIgnore({ ignorecase: false }).add([pattern]);
      remembered = 0;
    }
    const line = oneLine(path);
    // With a slash as well: `docs/` names the folder and all below it.
    return matcher.ignores(line) || matcher.ignores(`${line}/`);
  };
}

/** `.` does not match a line break in a regular expression, but a file name may hold one. */
const oneLine = (path: string): string => path.replaceAll(/[\n\r\u2028\u2029]/g, '\ufffd');
