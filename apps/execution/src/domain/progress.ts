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
  let best: { applied: number; paths: readonly string[] } | undefined;
  for (const applied of possibleCounts(steps)) {
    const paths = mismatches(steps, applied, present);
    if (paths.length === 0) return { kind: 'known', applied };
    if (!best || paths.length < best.paths.length) best = { applied, paths };
  }
  return { kind: 'foreign', ...best! };
}

/** From the largest; where staging contradicts itself (somebody was in there) its word does not count. */
function possibleCounts(steps: readonly StepStates[]): number[] {
  const all = Array.from({ length: steps.length + 1 }, (_, i) => steps.length - i);
  const possible = all.filter((count) => steps.every((step, i) => allows(step.evidence, i < count)));
  return possible.length > 0 ? possible : all;
}

const allows = (evidence: Evidence, applied: boolean): boolean =>
  evidence === 'unknown' || (evidence === 'applied') === applied;

/** The paths that do not look as they would after `applied` steps. */
function mismatches(steps: readonly StepStates[], applied: number, present: ReadonlyMap<string, PathState>): string[] {
  const expected = new Map<string, PathState>();
  for (const { path, from } of steps) if (!expected.has(path)) expected.set(path, from);
  for (const { path, to } of steps.slice(0, applied)) expected.set(path, to);
  return [...expected].filter(([path, state]) => !samePathState(present.get(path)!, state)).map(([path]) => path);
}
