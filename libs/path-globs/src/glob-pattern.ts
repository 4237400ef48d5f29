import createIgnore, { type Ignore } from 'ignore';
import { literalOf } from './literal-of.js';

/** Bytes of paths that a matcher may remember before it is made anew: it forgets nothing by itself. */
const MEMORY = 1 << 20;

/** One gitignore pattern, case-sensitive, asked for a path and everything above it. */
export class GlobPattern {
  private matcher: Ignore | undefined;
  private remembered = 0;
  private readonly literal: string;

  constructor(readonly text: string) {
    this.literal = literalOf(text);
  }

  /** Throws where the pattern cannot be read; else that shows when it is first asked. */
  read(): void {
    this.asGitignore('any');
  }

  /** A path as somebody typed it (`.`, `../x`, `/x`) is none in the workspace: nothing names it. */
  matches(path: string): boolean {
    const line = oneLine(path);
    if (!createIgnore.isPathValid(line)) return false;
    if (this.text === '**') return true;
    return line.includes(this.literal) && this.asGitignore(line);
  }

  private asGitignore(path: string): boolean {
    this.remembered += path.length * path.split('/').length;
    if (!this.matcher || this.remembered > MEMORY) {
      this.matcher = createIgnore({ ignorecase: false }).add([this.text]);
      this.remembered = 0;
    }
    // With a slash as well: `docs/` names the folder, which may not exist yet, and all below it.
    return this.matcher.ignores(path) || this.matcher.ignores(`${path}/`);
  }
}

/** `.` does not match a line break in a regular expression, but a file name may hold one. */
const oneLine = (path: string): string => path.replaceAll(/[\n\r\u2028\u2029]/g, '\ufffd');
