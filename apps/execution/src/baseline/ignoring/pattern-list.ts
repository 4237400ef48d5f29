import createIgnore, { type Ignore } from 'ignore';
import type { Pattern } from './pattern.js';

export type Decision = 'ignored' | 'kept' | undefined;

/** Letters of paths that the library may remember before it is made anew: it forgets nothing by itself. */
const MEMORY = 1 << 20;
/** Lets all folders in: of a path above which one is left out, the library would say nothing else. */
const ANY_FOLDER = '!*/';

/** Patterns that the library decides by, the last that matches first. All are asked without the slash of a folder. */
export class PatternList {
  private readonly lines: readonly string[];
  private matcher: Ignore | undefined;
  private remembered = 0;

  constructor(patterns: readonly Pattern[]) {
    this.lines = patterns.map(({ text, keeps }) => (keeps ? `!${text}` : text));
  }

  decide(path: string): Decision {
    if (this.lines.length === 0) return undefined;
    const { ignored, unignored } = this.ready(path).test(path);
    if (ignored) return 'ignored';
    return unignored ? 'kept' : undefined;
  }

  private ready(path: string): Ignore {
    this.remembered += path.length;
    if (!this.matcher || this.remembered > MEMORY) {
      // A path that the library would refuse (`/a`, `../a`) is one that no pattern names.
      this.matcher = createIgnore({ ignorecase: false, allowRelativePaths: true }).add([...this.lines, ANY_FOLDER]);
      this.remembered = path.length;
    }
    return this.matcher;
  }
}
