import { ABSENT, samePathState, type PathState } from '@retrace/contracts';
import { captureAt, captureHandle } from './capture.js';
import type { WorkspaceRoot } from './control-folder.js';
import { openIfThere, withHandle, type Resolved } from './handles.js';
import type { Lease } from './lease.js';
import { O } from './libc.js';
import { isSettled, permissions, statFd, untouched, type Stat } from './stat.js';
import type { Transition, TransitionOptions } from './transition.js';

/**
 * `applied`: the path is in state `to`; with `preImage` the old object lies under `stageName`. A lease other than
 * `no-writer` means that an open writer could not be ruled out.
 * `changed`, `writer`: the path was left as somebody else made it; a newer object of theirs that found no way back
 * lies in staging under `kept`.
 */
export type Applied = { outcome: 'applied'; preImage?: 'staged'; lease?: Lease };
export type Refused = { outcome: 'changed'; found: PathState; kept?: string } | { outcome: 'writer'; kept?: string };
export type ApplyResult = Applied | Refused;

export interface Work {
  root: WorkspaceRoot;
  at: Resolved;
  transition: Transition;
  expected: Stat | undefined;
  options: TransitionOptions;
}

export const changed = ({ at, options }: Work, kept?: string): Refused => ({
  outcome: 'changed',
  found: captureAt(at, { cache: options.cache }).state,
  ...(kept === undefined ? {} : { kept }),
});

/** A stat proves the state only when nothing happened to the object since; what does show in its times. */
function proves({ root, expected, transition: { from } }: Work, now: Stat): boolean {
  if (expected === undefined || !untouched(expected, now)) return false;
  if (!root.fineTimes && !isSettled(expected)) return false;
  return from.kind === 'file' && now.isFile && BigInt(from.size) === now.size && from.mode === permissions(now);
}

/**
 * Runs `act` with a held handle of the object at the path, once that object is in state `from`.
 * The handle keeps the inode number from being reused while `act` compares identities.
 */
export function whenAsFrom(work: Work, act: (handle: number, stat: Stat) => ApplyResult): ApplyResult {
  const { at, transition, options } = work;
  const handle = openIfThere(at.dirfd, at.name, O.PATH);
  if (handle === undefined) return { outcome: 'changed', found: ABSENT };
  return withHandle(handle, () => {
    const now = statFd(handle);
    if (proves(work, now)) return act(handle, now);
    const { state, stat = now } = captureHandle(handle, { cache: options.cache });
    return samePathState(state, transition.from) ? act(handle, stat) : { outcome: 'changed', found: state };
  });
}
