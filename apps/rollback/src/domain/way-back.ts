import { ABSENT, type PathState, type RollbackOptions, samePathState, type WorkspacePath } from '@retrace/contracts';
import type { FolderObstacles } from './folder-obstacles.js';
import type { History } from './history.js';
import { type Location, locate } from './location.js';
import { builtOn, changedOutside, movedOn, notMerged, type Obstacle } from './obstacle.js';
import type { IndexedOperation } from './operation-index.js';
import type { SimulatedTree } from './simulated-tree.js';
import type { Standing } from './standing.js';
import { mergeStates, type MergeRequest, type Merges } from './state-merge.js';

/** How one path goes one operation back. */
export interface PathChange {
  readonly operation: IndexedOperation;
  readonly path: WorkspacePath;
  readonly restore: PathState;
  /** Where the object that is to stand there stands now. */
  readonly origin: string | undefined;
  readonly how: 'restore' | 'merge' | 'force';
  /** Later moves that stay: they took the object to `path`. */
  readonly moves: readonly IndexedOperation[];
  /** Later changes that stay in what is restored. */
  readonly kept: readonly IndexedOperation[];
  /** Later changes that it goes over. */
  readonly over: readonly IndexedOperation[];
}

export type WayBack =
  | { readonly ok: true; readonly changes: readonly PathChange[] }
  | { readonly ok: false; readonly obstacle: Obstacle; readonly needs?: MergeRequest };

/** What stands at a path, and what of it stays. */
interface Found {
  readonly state: PathState;
  readonly kept: readonly IndexedOperation[];
}

/** Finds the way back of single operations, and of both ends of a move, over a simulated tree. Changes nothing. */
export class WayFinder {
  constructor(
    private readonly history: History,
    private readonly standing: Standing,
    private readonly tree: SimulatedTree,
    private readonly folders: FolderObstacles,
    private readonly options: Pick<RollbackOptions, 'merge' | 'force'>,
    private readonly merges: Merges,
  ) {}

  /** One operation, at the present name of what it left. */
  back(operation: IndexedOperation): WayBack {
    const { path, later, moves } = locate(this.history, this.standing, operation);
    const found = this.found(path, later);
    // Whoever gave it another name counts on it: it is not removed behind their back.
    const [moved] = operation.before.kind === 'absent' ? moves : [];
    if (moved) return { ok: false, obstacle: movedOn(operation, moved, found.state) };
    const change = { operation, path, restore: operation.before, moves };
    if (later.length === 0 && samePathState(found.state, operation.after))
      return this.checked([{ ...change, origin: this.kindKept(path, operation.before), ...PLAIN }]);
    return this.aside(change, found, refusal(operation, path, found));
  }

  /** The move of a file or link: the same object goes back to where it came from. */
  moveBack(target: IndexedOperation, source: IndexedOperation): WayBack {
    const there = locate(this.history, this.standing, target);
    const found = this.found(target.path, there.later);
    if (there.moves.length > 0) return { ok: false, obstacle: movedOn(target, there.moves[0]!, found.state) };
    const old = this.found(source.path, this.standing.after(source, target));
    const free = old.kept.length === 0 && old.state.kind === 'absent';
    const same = there.later.length === 0 && samePathState(found.state, target.after);
    if (free && same) return this.checked(this.carried(target, source, found));
    const obstacle = same ? refusal(source, source.path, old) : refusal(target, target.path, found);
    if (this.options.merge && free && isObject(found.state)) return this.checked(this.carried(target, source, found));
    if (!this.options.force || !replaceable(old.state, found.state) || holdsMore(old) || holdsMore(found))
      return { ok: false, obstacle };
    return this.checked([
      { ...forced(target, found), restore: target.before },
      { ...forced(source, old), restore: source.before, origin: same ? this.tree.origin(target.path) : undefined },
    ]);
  }

  private found(path: string, later: readonly IndexedOperation[]): Found {
    return { state: this.tree.state(path) ?? ABSENT, kept: [...new Set([...this.tree.kept(path), ...later])] };
  }

  /** What stands there is not what the operation left: merged, gone over, or left alone. */
  private aside(
    change: Pick<PathChange, 'operation' | 'path' | 'restore' | 'moves'>,
    found: Found,
    obstacle: Obstacle,
  ): WayBack {
    const merged = this.options.merge ? this.merged(change, found) : undefined;
    if (merged?.status === 'merged')
      return this.checked([
        {
          ...change,
          restore: merged.state,
          origin: this.tree.origin(change.path),
          ...PLAIN,
          how: 'merge',
          kept: found.kept,
        },
      ]);
    const refused = merged?.status === 'conflict' ? notMerged(obstacle, merged.reason) : obstacle;
    if (merged?.status === 'needed') return { ok: false, obstacle: refused, needs: merged.request };
    if (!this.options.force || !replaceable(found.state, change.restore) || holdsMore(found))
      return { ok: false, obstacle: refused };
    return this.checked([{ ...forced(change.operation, found), ...change }]);
  }

  private merged({ operation, path }: Pick<PathChange, 'operation' | 'path'>, { state }: Found) {
    const sides = { base: operation.after, ours: state, theirs: operation.before };
    return mergeStates(sides, this.tree.origin(path), this.merges);
  }

  /** The object with all that was done to it since. */
  private carried(target: IndexedOperation, source: IndexedOperation, { state, kept }: Found): PathChange[] {
    const how = samePathState(state, source.before) && kept.length === 0 ? 'restore' : 'merge';
    const origin = this.tree.origin(target.path);
    return [
      { ...PLAIN, operation: target, path: target.path, restore: target.before, origin: undefined, moves: [] },
      { ...PLAIN, operation: source, path: source.path, restore: state, origin, moves: [], how, kept },
    ];
  }

  /** In place: the object stays the one that it is. */
  private kindKept(path: string, restore: PathState): string | undefined {
    return restore.kind === 'absent' ? undefined : this.tree.origin(path);
  }

  private checked(changes: readonly PathChange[]): WayBack {
    for (const { path, restore } of changes) {
      const obstacle = this.folders.to(path, this.tree.state(path) ?? ABSENT, restore);
      if (obstacle) return { ok: false, obstacle };
    }
    return { ok: true, changes };
  }
}

const PLAIN = { how: 'restore', kept: [], over: [] } as const;

const forced = (operation: IndexedOperation, { kept }: Found): PathChange => ({
  operation,
  path: operation.path,
  restore: operation.before,
  origin: undefined,
  how: 'force',
  moves: [],
  kept: [],
  over: kept,
});

function refusal(operation: IndexedOperation, path: Location['path'], { state, kept }: Found): Obstacle {
  const later = kept.at(-1);
  return later ? builtOn(operation, path, later, state) : changedOutside(path, operation.after, state);
}

const isObject = ({ kind }: PathState): boolean => kind === 'file' || kind === 'link';

/** An object that was moved here brought the work of others along, who would not be named as owners. */
const holdsMore = ({ kept }: Found): boolean => kept.some(({ moved_from }) => moved_from !== null);

/** One can be put in the other's place where it stands. A folder has its mode alone. */
const replaceable = (a: PathState, b: PathState): boolean =>
  a.kind === 'directory' || b.kind === 'directory'
    ? a.kind === b.kind
    : [a, b].every((state) => isObject(state) || state.kind === 'absent');
