import { ABSENT, type OperationRecord, type PathState } from '@retrace/contracts';
import { foldersOf, type TouchedPaths } from './touched-paths.js';

/** A session that knew more would be told of each path only that it was there; the oldest go first. */
const MAX_PATHS = 200_000;

interface Known {
  readonly state: PathState;
  /** The path that this one led to: another one where a link is on the way. */
  readonly at: string;
  /** Of the event that left it; what was read counts as of the newest event known then. */
  readonly sequence: number;
}

/** What a session last saw, or left, at paths as they are spelled below the root. */
export class KnownStates {
  private readonly known = new Map<string, Known>();
  /** By the path that they lead to: names that lead there through links. */
  private readonly aliases = new Map<string, Set<string>>();
  private newest = 0;

  /** `follows`: of a change that acts on what a link names; else of one that acts on the link itself. */
  expectedOf(path: string, follows: boolean): PathState | undefined {
    const known = this.known.get(path);
    if (!known) return undefined;
    const fits = follows ? known.state.kind !== 'link' : known.at === path;
    return fits ? known.state : undefined;
  }

  /** Where a path led to when it was last seen. */
  leadsTo(path: string): string {
    return this.known.get(path)?.at ?? path;
  }

  /** What was read at `path`, which led to `at`. */
  saw(path: string, at: string, state: PathState): void {
    this.set(path, { state, at, sequence: this.newest });
    if (at !== path) this.set(at, { state, at, sequence: this.newest });
  }

  /** What a change left. Records of an older event than the one known tell nothing new. */
  learn(records: readonly OperationRecord[], sequence: number): void {
    this.newest = Math.max(this.newest, sequence);
    const news = records.filter(({ path }) => (this.known.get(path.canonical)?.sequence ?? 0) <= sequence);
    this.forgetBelow(replacedBy(news));
    for (const record of news) this.learnOne(record, sequence);
  }

  forget(path: string): void {
    const { at } = this.known.get(path) ?? { at: path };
    for (const name of [path, at, ...(this.aliases.get(at) ?? [])]) this.drop(name);
  }

  /** Forgets these paths, what lies below them and the folders that hold them, under all names. */
  forgetAround(paths: TouchedPaths): void {
    const names = [...this.known].filter(([name, { at }]) => paths.overlaps(name) || paths.overlaps(at));
    for (const [name] of names) this.drop(name);
  }

  clear(): void {
    this.known.clear();
    this.aliases.clear();
  }

  private learnOne({ path, state_snapshot_after: { state: after } }: OperationRecord, sequence: number): void {
    const at: string = path.canonical;
    // A copy: setting one takes it out and puts it in again.
    const names = [...(this.aliases.get(at) ?? [])];
    for (const name of names) this.set(name, { state: after, at, sequence });
    this.set(at, { state: after, at, sequence });
  }

  /**
   * What was known below a folder or a link holds no longer, except that nothing is below what is absent. All of them at
   * once: an operation may remove thousands of folders.
   */
  private forgetBelow(replaced: ReadonlyMap<string, PathState>): void {
    if (replaced.size === 0) return;
    const below = [...this.known.keys()].flatMap((name) => {
      const above = foldersOf(name).flatMap((folder) => replaced.get(folder) ?? []);
      return above.length > 0 ? [{ name, gone: above.every(({ kind }) => kind === 'absent') }] : [];
    });
    for (const { name, gone } of below) {
      if (gone) this.set(name, { ...this.known.get(name)!, state: ABSENT, at: name });
      else this.drop(name);
    }
  }

  private set(path: string, known: Known): void {
    this.drop(path);
    this.known.set(path, known);
    if (known.at !== path) this.aliases.set(known.at, (this.aliases.get(known.at) ?? new Set()).add(path));
    if (this.known.size > MAX_PATHS) this.drop(this.known.keys().next().value!);
  }

  private drop(path: string): void {
    const known = this.known.get(path);
    if (!known) return;
    this.known.delete(path);
    if (known.at !== path) this.aliases.get(known.at)?.delete(path);
    if (this.aliases.get(known.at)?.size === 0) this.aliases.delete(known.at);
  }
}

/** The folders and links that became something else, and what stands there in the end. */
function replacedBy(records: readonly OperationRecord[]): Map<string, PathState> {
  const replaced = new Map<string, PathState>();
  for (const { path, state_snapshot_before, state_snapshot_after } of records) {
    const [before, after] = [state_snapshot_before.state, state_snapshot_after.state];
    const folderWent = before.kind === 'directory' && after.kind !== 'directory';
    if (before.kind === 'link' || after.kind === 'link' || folderWent) replaced.set(path.canonical, after);
  }
  return replaced;
}
