import { describePathState, type PathState } from '@retrace/contracts';
import { Refused, refusal } from './refusal.js';
import type { Present } from './simulated-tree.js';

const SET_ID = 0o6000;
const NOT_ASKED = 0o7000;

interface Planned {
  readonly to: PathState;
  readonly notes: readonly string[];
}

/**
 * What `chmod` leaves. A file loses its set-id bits: nobody who asks for permission bits lends out its owner's rights.
 * A folder keeps setgid and sticky: they say how its entries come to be, and take nothing from anybody. A link has no mode
 * of its own: through one it is of what it points to, where policy judged that path.
 */
export function planMode({ state }: Present, mode: number): Planned {
  if (state.kind === 'file') {
    const notes = (state.mode & SET_ID) === 0 ? [] : ['the set-id bits of the file were cleared'];
    return { to: { ...state, mode }, notes };
  }
  if (state.kind === 'directory') return { to: { ...state, mode: mode | (state.mode & NOT_ASKED) }, notes: [] };
  if (state.kind === 'absent')
    throw new Refused(refusal('absent', 'there is nothing whose mode could be set', { found: state }));
  throw new Refused(
    refusal('not_a_file', `${describePathState(state)} is there; only files and folders have a mode to set`, {
      found: state,
    }),
  );
}

/** New content does not run with the rights of whom the old was trusted by: as the kernel clears these bits on a write. */
export function withoutSetId({ state: from }: Present, to: PathState): Planned {
  if (to.kind !== 'file' || (to.mode & SET_ID) === 0) return { to, notes: [] };
  if (from.kind === 'file' && from.hash === to.hash) return { to, notes: [] };
  return { to: { ...to, mode: to.mode & ~SET_ID }, notes: ['the set-id bits of the old file were cleared'] };
}
