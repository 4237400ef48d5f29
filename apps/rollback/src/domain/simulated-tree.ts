import type { PathState } from '@retrace/contracts';
import type { History } from './history.js';
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
  private readonly known: readonly string[];

  constructor(
    private readonly present: ReadonlyMap<string, PathState>,
    private readonly history: History,
  ) {
    this.known = [...new Set([...present.keys(), ...history.paths])].toSorted(byText);
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
    this.changed.set(path, to);
    return () => {
      if (before) this.changed.set(path, before);
      else this.changed.delete(path);
    };
  }

  /** Everything known to stand below a folder. */
  *standingUnder(folder: string): Iterable<{ path: string; state: PathState }> {
    const prefix = `${folder}/`;
    for (let at = firstNotBelow(this.known, prefix); at < this.known.length; at++) {
      const path = this.known[at]!;
      if (!path.startsWith(prefix)) return;
      const state = this.state(path);
      if (state && state.kind !== 'absent') yield { path, state };
    }
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Index of the first entry that is not smaller than `text`. */
function firstNotBelow(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
