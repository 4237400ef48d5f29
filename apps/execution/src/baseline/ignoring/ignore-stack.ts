import { decide, type IgnoreRule } from './ignore-rules.js';

/** The rules of a folder and of those above it. Nothing below a folder that is left out is ever asked about. */
export class IgnoreStack {
  private constructor(
    private readonly above: IgnoreStack | undefined,
    private readonly rules: readonly IgnoreRule[],
    /** The folder's path as latin1, with a slash at its end; empty for the root. */
    private readonly prefix: string,
  ) {}

  static readonly EMPTY = new IgnoreStack(undefined, [], '');

  /** With the rules that stand in a folder. */
  with(folder: string, rules: readonly IgnoreRule[]): IgnoreStack {
    return rules.length === 0 ? this : new IgnoreStack(this, rules, folder === '' ? '' : `${latin1(folder)}/`);
  }

  /** Whether the rules leave a path out, given as bytes in latin1; the deepest folder that has something to say decides. */
  ignores(bytes: string, isFolder: boolean): boolean {
    const decision = decide(this.rules, bytes.slice(this.prefix.length), isFolder);
    if (decision) return decision === 'ignored';
    return this.above?.ignores(bytes, isFolder) ?? false;
  }
}

/** The bytes of a name or path, one character each: what rules are compared with. */
export const latin1 = (path: string | Buffer): string =>
  typeof path === 'string' && isAscii(path) ? path : Buffer.from(path).toString('latin1');

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
