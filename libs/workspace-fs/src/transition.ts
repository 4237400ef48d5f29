import { CONTROL_FOLDER, samePathState, type PathState } from '@retrace/contracts';
import { resolveBeneath, type Resolved } from './handles.js';
import { SafeFsError } from './safe-fs-error.js';
import type { StatCache } from './stat-cache.js';

/**
 * One path's way from one state to another.
 * `stageName` is unique per transition: before, the new object lies under it in staging; afterwards, the old one.
 */
export interface Transition {
  path: string;
  from: PathState;
  to: PathState;
  stageName: string;
}

/** `process`: survives this process's death. `power`: synced, survives a power failure. */
export type Durability = 'process' | 'power';

export interface TransitionOptions {
  durability?: Durability;
  cache?: StatCache;
  /** Take out a file even while somebody has it open for writing; what they write afterwards goes to the pre-image. */
  allowWriter?: boolean;
}

/**
 * How a transition is carried out: `place` and `take` rename without replacing, `exchange` swaps the two objects,
 * `rmdir` removes an empty folder, `chmod` sets the mode of the object that stays.
 */
export type Shape = 'nothing' | 'place' | 'take' | 'rmdir' | 'chmod' | 'exchange';

const sameButMode = (from: PathState, to: PathState): boolean =>
  (from.kind === 'directory' && to.kind === 'directory') ||
  (from.kind === 'file' && to.kind === 'file' && from.hash === to.hash && from.size === to.size);

/** @throws SafeFsError unsupported for FIFOs, sockets and devices: they are never replaced */
export function shapeOf({ path, from, to }: Transition): Shape {
  if (from.kind === 'other' || to.kind === 'other') throw new SafeFsError('unsupported', 'transition', 0, path);
  if (samePathState(from, to)) return 'nothing';
  if (from.kind === 'absent') return 'place';
  if (to.kind === 'absent') return from.kind === 'directory' ? 'rmdir' : 'take';
  return sameButMode(from, to) ? 'chmod' : 'exchange';
}

export const invert = ({ path, from, to, stageName }: Transition): Transition => ({
  path,
  from: to,
  to: from,
  stageName,
});

/**
 * Answers the parent's handle (to be closed) and the name.
 * @throws SafeFsError absent, not_a_folder, link_refused, outside_root; not_permitted for the control folder
 */
export function locate(rootFd: number, path: string): Resolved {
  if (path.split('/')[0] === CONTROL_FOLDER) throw new SafeFsError('not_permitted', 'transition', 0, path);
  return resolveBeneath(rootFd, path);
}
