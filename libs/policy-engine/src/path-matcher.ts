import createIgnore, { type Ignore } from 'ignore';

/** Bytes of paths that the matcher may remember before it is made anew: it forgets nothing by itself. */
const MEMORY = 1 << 20;

interface Pattern {
  readonly text: string;
  readonly excludes: boolean;
}

/**
 * The longest text that every path named by a pattern holds as it stands: looking for it costs next to nothing, and most
 * paths hold it for no pattern of a rule. Signs that mean something to gitignore, and blanks, which it may cut off, end it.
 */
export function literalOf(pattern: string): string {
  // A sign in brackets may be one of several: nothing is certain then.
  if (/[[\]\\]/.test(pattern)) return '';
  const runs = pattern.split(/[*?/!\s]+/);
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}

/** One gitignore pattern, case-sensitive, asked for a path and everything above it. */
class PatternTest {
  private matcher: Ignore | undefined;
  private remembered = 0;
  private readonly literal: string;

  constructor(private readonly text: string) {
    this.literal = literalOf(text);
  }

  matches(path: string): boolean {
    if (this.text === '**') return true;
    return path.includes(this.literal) && this.asGitignore(path);
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

/**
 * Answers whether a list of gitignore patterns names a path. The last pattern that matches decides; unlike in a
 * `.gitignore`, `!docs/private/**` also excludes below a folder that an earlier pattern named as a whole.
 */
export class PathMatcher {
  private readonly tests: readonly (readonly [Pattern, PatternTest])[];

  constructor(patterns: readonly string[]) {
    this.tests = patterns
      .map((text) => ({ text: text.replace(/^!/, ''), excludes: text.startsWith('!') }))
      .map((pattern) => [pattern, new PatternTest(pattern.text)] as const)
      .toReversed();
  }

  /** The pattern that decides, as written; `undefined`: the list does not name the path. */
  decidingPattern(path: string): string | undefined {
    const line = oneLine(path);
    const last = this.tests.find(([, test]) => test.matches(line))?.[0];
    return last && !last.excludes ? last.text : undefined;
  }
}
