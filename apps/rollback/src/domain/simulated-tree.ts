import { ABSENT, type PathState } from '@retrace/contracts';
import type { History } from './history.js';
import { StandingPaths } from './standing-paths.js';
import type { IndexedOperation } from './operation-index.js';

/** What a walk made of a path so far. */
export interface Simulated {
  readonly state: PathState;
  /** Where the object that is to stand here stands now; `undefined`: it is made anew, or nothing stands here. */
  readonly origin: string | undefined;
  /** Later changes that stay in what stands here: they are merged into it, or came along with the object. */
  readonly kept: readonly IndexedOperation[];
}

/** The workspace as it would be after the steps taken so far. Nothing is changed but this. */
export class SimulatedTree {
  private readonly changed = new Map<string, Simulated>();
  private readonly standing: StandingPaths;

  constructor(
    private readonly present: ReadonlyMap<string, PathState>,
    private readonly history: History,
  ) {
    const known = [...new Set([...present.keys(), ...history.paths])].toSorted(byText);
    this.standing = new StandingPaths(known, (path) => stands(this.presentState(path)));
  }

  /** What stands there; what was not looked at is as it was recorded last; `undefined`: nobody knows. */
  state(path: string): PathState | undefined {
    return this.changed.get(path)?.state ?? this.presentState(path);
  }

  presentState(path: string): PathState | undefined {
    return this.present.get(path) ?? this.history.recorded(path);
  }

  origin(path: string): string | undefined {
    const changed = this.changed.get(path);
    return changed ? changed.origin : path;
  }

  kept(path: string): readonly IndexedOperation[] {
    return this.changed.get(path)?.kept ?? [];
  }

  /** Answers a function that puts back what was there before. */
  set(path: string, to: Simulated): () => void {
    const before = this.changed.get(path);
    this.put(path, to);
    return () => this.put(path, before);
  }

  /** One of what is known to stand below a folder, if anything does. */
  standingUnder(folder: string): { readonly path: string; readonly state: PathState } | undefined {
    const path = this.standing.startingWith(`${folder}/`);
    return path === undefined ? undefined : { path, state: this.state(path) ?? ABSENT };
  }

  private put(path: string, to: Simulated | undefined): void {
    if (to) this.changed.set(path, to);
    else this.changed.delete(path);
    this.standing.set(path, stands(this.state(path)));
  }
}

const stands = (state: PathState | undefined): boolean => state !== undefined && state.kind !== 'absent';
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
