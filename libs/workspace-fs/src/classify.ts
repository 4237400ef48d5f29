import { ABSENT, samePathState, type PathState } from '@retrace/contracts';
import { captureState } from './capture.js';
import type { WorkspaceRoot } from './control-folder.js';
import { readDir } from './entries.js';
import { openAt, withHandle } from './handles.js';
import { O } from './libc.js';
import { isFsError } from './safe-fs-error.js';
import type { StatCache } from './stat-cache.js';
import { captureStaged } from './staging.js';
import type { Transition } from './transition.js';

/** Where a transition stands: what is at the path, and what lies in staging. */
export interface Position {
  position: 'before' | 'after' | 'neither';
  found: PathState;
  staged: PathState;
  /**
   * A crash came between taking the old object out and checking it, and it was not in state `from`: it is
   * somebody's newer version, and `undoTransition` puts it back.
   */
  foreign: boolean;
}

/** A parent that is missing, a file or a link has nothing beneath it that a transition would act on. */
export function captureLeniently(root: WorkspaceRoot, path: string, cache: StatCache | undefined): PathState {
  try {
    return captureState(root.rootFd, path, { cache }).state;
  } catch (error) {
    if (isFsError(error, 'not_a_folder', 'link_refused')) return ABSENT;
    throw error;
  }
}

function positionOf({ from, to }: Transition, found: PathState): Position['position'] {
  if (samePathState(found, to)) return 'after';
  return samePathState(found, from) ? 'before' : 'neither';
}

/** Only empty folders are ever replaced: with entries, somebody filled it just before it was taken out. */
const isFilledFolder = ({ stagingFd }: WorkspaceRoot, stageName: string, staged: PathState): boolean =>
  staged.kind === 'directory' && withHandle(openAt(stagingFd, stageName, O.PATH), (fd) => readDir(fd).length > 0);

/** Tells by full capture, as after a crash, whether a path is in state `to` (also when that equals `from`) or `from`. */
export function classify(root: WorkspaceRoot, transition: Transition, cache?: StatCache): Position {
  const { path, from, to, stageName } = transition;
  const found = captureLeniently(root, path, cache);
  const staged = captureStaged(root, stageName).state;
  const position = positionOf(transition, found);
  const ours = staged.kind === 'absent' || samePathState(staged, from) || samePathState(staged, to);
  return {
    position,
    found,
    staged,
    foreign: position === 'after' && (!ours || isFilledFolder(root, stageName, staged)),
  };
}
