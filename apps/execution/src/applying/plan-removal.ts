import { ABSENT, type AuthorizedOperation, describePathState, samePathState } from '@retrace/contracts';
import { Refused, refusal, Stale } from './refusal.js';
import type { Present, SimulatedTree } from './simulated-tree.js';

/** What `delete` and `rmdir` leave. Throws {@link Refused} or {@link Stale} where it cannot be removed. */
export function planRemoval(operation: AuthorizedOperation, from: Present, tree: SimulatedTree): typeof ABSENT {
  const { state } = from;
  if (state.kind === 'absent') throw new Refused(refusal('absent', 'there is nothing to remove', { found: state }));
  if (operation.request.action === 'rmdir' && state.kind !== 'directory')
    throw new Refused(
      refusal('not_a_folder', `${describePathState(state)} is there; rmdir removes folders, delete the rest`, {
        found: state,
      }),
    );
  if (state.kind === 'other')
    throw new Refused(
      refusal('not_a_file', `a ${state.type} cannot be brought back, so it is not deleted`, { found: state }),
    );
  if (state.kind === 'directory') requireEmpty(operation, from, tree);
  return ABSENT;
}

function requireEmpty(operation: AuthorizedOperation, { state }: Present, tree: SimulatedTree): void {
  const { canonical } = operation;
  const entries = tree.entries(canonical).toSorted();
  if (entries.length === 0) return;
  if (isExpanded(operation)) throw leftOver(canonical, entries, tree);
  const some = entries.slice(0, 5).join(', ');
  throw new Refused(
    refusal(
      'not_empty',
      `the folder holds ${entries.length} entries (${some}${entries.length > 5 ? ', …' : ''}); delete them first, or ask for a recursive delete`,
      { found: state },
    ),
  );
}

/** The operations before it were to empty the folder: policy listed what it held when it decided. */
const isExpanded = ({ request, part_of, moved }: AuthorizedOperation): boolean =>
  part_of !== undefined || moved?.to !== undefined || (request.action === 'delete' && request.recursive === true);

/** Something came into the folder since. What is on record is decided anew; what nobody recorded is nobody's to remove. */
function leftOver(folder: string, entries: readonly string[], tree: SimulatedTree): Refused | Stale {
  const stranger = entries.map((name) => `${folder}/${name}`).find((path) => !isRecorded(path, tree));
  if (stranger === undefined) return new Stale(`${folder}/${entries[0]!}`, 'moved');
  const { state } = tree.at(stranger, -1);
  return new Refused(
    refusal(
      'changed_outside',
      `${stranger} (${describePathState(state)}) came into the folder after the decision and nobody recorded it; nothing was removed. Look at it, and ask again`,
      { path: stranger, expected: ABSENT, found: state },
    ),
  );
}

function isRecorded(path: string, tree: SimulatedTree): boolean {
  const { state, recorded } = tree.at(path, -1);
  return recorded !== undefined && samePathState(recorded.state, state);
}
