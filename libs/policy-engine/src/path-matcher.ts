import { GlobPattern } from '@retrace/path-globs';

interface Pattern {
  readonly text: string;
  readonly excludes: boolean;
}

/**
 * Answers whether a list of gitignore patterns names a path. The last pattern that matches decides; unlike in a
 * `.gitignore`, `!docs/private/**` also excludes below a folder that an earlier pattern named as a whole.
 */
export class PathMatcher {
  private readonly tests: readonly (readonly [Pattern, GlobPattern])[];

  constructor(patterns: readonly string[]) {
    this.tests = patterns
      .map((text) => ({ text: text.replace(/^!/, ''), excludes: text.startsWith('!') }))
      .map((pattern) => [pattern, new GlobPattern(pattern.text)] as const)
      .toReversed();
  }

  /** The pattern that decides, as written; `undefined`: the list does not name the path. */
  decidingPattern(path: string): string | undefined {
    const last = this.tests.find(([, test]) => test.matches(path))?.[0];
    return last && !last.excludes ? last.text : undefined;
  }
}
