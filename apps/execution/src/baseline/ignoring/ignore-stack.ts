import type { IgnoreRules } from './ignore-rules.js';
import { spell } from './spelling.js';

/** The rules of a folder and of those above it. Nothing below a folder that is left out is ever asked about. */
export class IgnoreStack {
  private constructor(
    private readonly above: IgnoreStack | undefined,
    private readonly rules: IgnoreRules | undefined,
    /** Bytes of the folder's path, with the slash behind it; 0 for the root. */
    private readonly prefix: number,
  ) {}

  static readonly EMPTY = new IgnoreStack(undefined, undefined, 0);

  /** With the rules that stand in a folder. */
  with(folder: string, rules: IgnoreRules): IgnoreStack {
    return rules.empty ? this : new IgnoreStack(this, rules, folder === '' ? 0 : Buffer.byteLength(folder) + 1);
  }

  /** Whether the rules leave out what has a name in a folder; the deepest folder that has something to say decides. */
  ignores(folder: string, name: string | Buffer, isFolder: boolean): boolean {
    return this.rules !== undefined && this.decides(spell(folder === '' ? '' : `${folder}/`) + spell(name), isFolder);
  }

  private decides(path: string, isFolder: boolean): boolean {
    const decision = this.rules?.decide(path.slice(this.prefix), isFolder);
    if (decision) return decision === 'ignored';
    return this.above?.decides(path, isFolder) ?? false;
  }
}
