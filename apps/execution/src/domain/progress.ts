import { type PathState, samePathState } from '@retrace/contracts';

export interface StepStates {
  readonly path: string;
  readonly from: PathState;
  readonly to: PathState;
}

export type Progress =
  /** The first `applied` steps are on the disk, the others are not. */
  | { readonly kind: 'known'; readonly applied: number }
  /** These paths are in no state that the steps know: somebody else changed them. */
  | { readonly kind: 'foreign'; readonly paths: readonly string[] };

/**
 * Says how far a logical operation came, from what stands at its paths. Steps run in order, each whole or not at all,
 * so the possible answers are counts; where several fit, the states are the same and the largest is taken.
 */
export function progressOf(steps: readonly StepStates[], present: ReadonlyMap<string, PathState>): Progress {
  for (let applied = steps.length; applied >= 0; applied--)
    if (mismatches(steps, applied, present).length === 0) return { kind: 'known', applied };
  return { kind: 'foreign', paths: foreignPaths(steps, present) };
}

/** The paths that do not look as they would after `applied` steps. */
function mismatches(steps: readonly StepStates[], applied: number, present: ReadonlyMap<string, PathState>): string[] {
  const expected = new Map<string, PathState>();
  for (const { path, from } of steps) if (!expected.has(path)) expected.set(path, from);
  for (const { path, to } of steps.slice(0, applied)) expected.set(path, to);
  return [...expected].filter(([path, state]) => !samePathState(present.get(path)!, state)).map(([path]) => path);
}

function foreignPaths(steps: readonly StepStates[], present: ReadonlyMap<string, PathState>): string[] {
  const paths = [...new Set(steps.map(({ path }) => path))];
  const strangers = paths.filter((path) =>
    steps.every((step) => step.path !== path || !isEither(step, present.get(path)!)),
  );
  // Each path looks known but no count fits all: somebody put one of them back or forward.
  return strangers.length > 0 ? strangers : paths;
}

const isEither = ({ from, to }: StepStates, state: PathState): boolean =>
  samePathState(state, from) || samePathState(state, to);
