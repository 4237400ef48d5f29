import { type PathState, samePathState } from '@retrace/contracts';

/** What staging says of one step: its new object still lies there, its pre-image does, or nothing can be told. */
export type Evidence = 'not_applied' | 'applied' | 'unknown';

export interface StepStates {
  readonly path: string;
  readonly from: PathState;
  readonly to: PathState;
  readonly evidence: Evidence;
}

export type Progress =
  /** The first `applied` steps are on the disk, the others are not. */
  | { readonly kind: 'known'; readonly applied: number }
  /** These paths are not as `applied` steps, the count that explains most, leave them: somebody else changed them. */
  | { readonly kind: 'foreign'; readonly applied: number; readonly paths: readonly string[] };

/**
 * Says how far a logical operation came, from what stands at its paths and lies in staging. Steps run in order, each
 * whole or not at all, so the possible answers are counts. Where several fit, staging cannot tell them apart either,
 * and the largest is taken.
 */
export function progressOf(steps: readonly StepStates[], present: ReadonlyMap<string, PathState>): Progress {
  const { least, most } = possibleCounts(steps);
  const expected = new Expected(steps, most, present);
  let best = { applied: most, mismatches: expected.mismatches };
  for (let applied = most; applied >= least; applied--) {
    if (applied < most) expected.stepBack(applied);
    if (expected.mismatches === 0) return { kind: 'known', applied };
    if (expected.mismatches < best.mismatches) best = { applied, mismatches: expected.mismatches };
  }
  const { applied } = best;
  return { kind: 'foreign', applied, paths: new Expected(steps, applied, present).foreignPaths() };
}

/** Where staging contradicts itself (somebody was in there) its word does not count. */
function possibleCounts(steps: readonly StepStates[]): { least: number; most: number } {
  const least = steps.findLastIndex(({ evidence }) => evidence === 'applied') + 1;
  const notApplied = steps.findIndex(({ evidence }) => evidence === 'not_applied');
  const most = notApplied < 0 ? steps.length : notApplied;
  return least <= most ? { least, most } : { least: 0, most: steps.length };
}

/** What would stand at each path after the first so many steps, and how many paths do not look so. */
class Expected {
  mismatches = 0;
  private readonly states = new Map<string, PathState>();

  constructor(
    private readonly steps: readonly StepStates[],
    applied: number,
    private readonly present: ReadonlyMap<string, PathState>,
  ) {
    for (const { path, from } of steps) if (!this.states.has(path)) this.states.set(path, from);
    for (const { path, to } of steps.slice(0, applied)) this.states.set(path, to);
    this.mismatches = this.foreignPaths().length;
  }

  /** The step at this place does not count as applied any more. */
  stepBack(at: number): void {
    const { path, from } = this.steps[at]!;
    this.mismatches -= this.differs(path);
    this.states.set(path, from);
    this.mismatches += this.differs(path);
  }

  foreignPaths(): string[] {
    return [...this.states.keys()].filter((path) => this.differs(path) === 1);
  }

  private differs(path: string): 0 | 1 {
    return samePathState(this.present.get(path)!, this.states.get(path)!) ? 0 : 1;
  }
}
