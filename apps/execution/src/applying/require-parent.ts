import { describePathState, parentPath } from '@retrace/contracts';
import { Refused, refusal } from './refusal.js';
import type { SimulatedTree } from './simulated-tree.js';

/** Throws {@link Refused} where the folder of a path is missing, or is none. */
export function requireParent(path: string, tree: SimulatedTree): void {
  const parent = parentPath(path);
  if (parent === undefined) return;
  const { state } = tree.at(parent, -1);
  if (state.kind === 'directory') return;
  const [code, hint] =
    state.kind === 'absent'
      ? (['absent', 'create the folder first (mkdir)'] as const)
      : (['not_a_folder', 'it cannot hold entries'] as const);
  throw new Refused(
    refusal(code, `the folder ${parent} is ${describePathState(state)}; ${hint}`, { path, found: state }),
  );
}
