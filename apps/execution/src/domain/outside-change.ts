import { type Action, describePathState, type PathState, samePathState } from '@retrace/contracts';
import { describeWriter, type Recorded } from './recorded.js';

/** Verbs after which what stood there is gone from its path. */
const REPLACES: ReadonlySet<Action> = new Set(['write', 'delete', 'rmdir', 'move', 'copy']);
/** Verbs that keep what stands there. */
const KEEPS: ReadonlySet<Action> = new Set(['edit', 'append', 'chmod']);

export type OutsideChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly recorded: PathState; readonly message: string }
  | { readonly kind: 'noted'; readonly note: string };

/**
 * Says what becomes of a change of a path that somebody changed whom nobody recorded. Of a path without any record
 * nothing can be said: its first change captures what stands there.
 */
export function outsideChange(action: Action, present: PathState, recorded: Recorded | undefined): OutsideChange {
  if (!recorded || samePathState(recorded.state, present)) return { kind: 'none' };
  const was = `${describePathState(recorded.state)} (${describeWriter(recorded)})`;
  const is = describePathState(present);
  if (KEEPS.has(action))
    return { kind: 'noted', note: `changed outside since it was recorded as ${was}; found ${is}, which was kept` };
  if (!REPLACES.has(action)) return { kind: 'none' };
  if (sameBytes(recorded.state, present))
    return { kind: 'noted', note: `its mode was changed outside since it was recorded as ${was}; found ${is}` };
  const message =
    `somebody whom nobody recorded changed it: recorded is ${was}, found is ${is}. Nothing was touched; ` +
    'look at it, and say with `expected` what is to be replaced';
  return { kind: 'refused', recorded: recorded.state, message };
}

/** A mode alone is not lost: the record of what was found holds it. */
const sameBytes = (a: PathState, b: PathState): boolean =>
  (a.kind === 'file' && b.kind === 'file' && a.hash === b.hash && a.size === b.size) ||
  (a.kind === 'directory' && b.kind === 'directory');
