import type { PathState } from '@retrace/contracts';
import type { History } from './history.js';

/** The workspace as it would be after the steps taken so far. Nothing is changed but this. */
export class SimulatedTree {
  private readonly changed = new Map<string, PathState>();
  private readonly known: readonly string[];

  constructor(
    private readonly present: ReadonlyMap<string, PathState>,
    private readonly history: History,
  ) {
    this.known = [...new Set([...present.keys(), ...history.paths])].toSorted(byText);
  }

  /** What stands there; what was not looked at is as it was recorded last; `undefined`: nobody knows. */
  state(path: string): PathState | undefined {
    return this.changed.get(path) ?? this.presentState(path);
  }

  presentState(path: string): PathState | undefined {
    return this.present.get(path) ?? this.history.recorded(path);
  }

  set(path: string, state: PathState): void {
    this.changed.set(path, state);
  }

  /** Remembers some paths as they are now; the function puts them back. */
  savepoint(paths: readonly string[]): () => void {
    const before = paths.map((path) => [path, this.changed.get(path)] as const);
    return () => {
      for (const [path, state] of before)
        if (state) this.changed.set(path, state);
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
