import {
  ABSENT,
  describePathState,
  type LeftOut,
  type LogicalOperationId,
  MAX_STEPS_PER_REQUEST,
  type PathState,
  type WorkspacePath,
} from '@retrace/contracts';
import type { IndexedOperation } from './operation-index.js';

/** Why something cannot be taken back, and where. */
export interface Obstacle {
  readonly why: LeftOut['why'];
  readonly path: WorkspacePath;
  readonly expected: PathState;
  readonly found: PathState;
  readonly later: IndexedOperation | null;
  readonly message: string;
}

const by = ({ agent, logical_operation_id }: IndexedOperation): string => `${agent} in ${logical_operation_id}`;

/** A later change of the same path stands on it. */
export const builtOn = (
  { after }: IndexedOperation,
  path: WorkspacePath,
  later: IndexedOperation,
  found: PathState,
): Obstacle => ({
  why: 'dependent',
  path,
  expected: after,
  found,
  later,
  message: `${path}: changed again later by ${by(later)}; take that back first, or merge`,
});

/** The object was moved on: there are two opinions about its name. */
export const movedOn = ({ path, after }: IndexedOperation, later: IndexedOperation, found: PathState): Obstacle => ({
  why: 'dependent',
  path,
  expected: after,
  found,
  later,
  message: `${path}: moved on to ${later.moved_to} later by ${by(later)}; take that back first`,
});

/** The same, after a merge was tried. */
export const notMerged = (obstacle: Obstacle, reason: string): Obstacle => ({
  ...obstacle,
  message: `${obstacle.message} (not merged: ${reason})`,
});

/** What stands there is not what the operation left, and nobody recorded who did that. */
export const changedOutside = (path: WorkspacePath, expected: PathState, found: PathState): Obstacle => ({
  why: 'outside',
  path,
  expected,
  found,
  later: null,
  message:
    `${path}: changed outside, not safe to undo: expected ${describePathState(expected)}, ` +
    `found ${describePathState(found)}`,
});

const inTheWay = (path: string): string => `${path}: changed outside, not safe to undo: the folder holds`;

/** Names in a message; a folder may hold thousands. */
const NAMED = 5;

/** In a folder that would have to go lies what no plan takes away: nobody recorded it. */
export const holdsUnrecorded = (
  path: WorkspacePath,
  folder: PathState,
  names: readonly string[],
  mayBeMore: boolean,
): Obstacle => ({
  why: 'outside',
  path,
  expected: folder,
  found: folder,
  later: null,
  message: `${inTheWay(path)} ${listed(names, mayBeMore)}, which nobody recorded`,
});

function listed(names: readonly string[], mayBeMore: boolean): string {
  const some = names.slice(0, NAMED).map((name) => JSON.stringify(name));
  const rest = names.length - some.length;
  if (rest === 0) return some.join(', ');
  return `${some.join(', ')} and ${mayBeMore ? 'at least ' : ''}${rest} more`;
}

/** A folder that would have to go is not empty. */
export const notEmpty = (
  folder: string,
  child: { path: string; state: PathState },
  creator: IndexedOperation | undefined,
): Obstacle => ({
  ...changedOutside(child.path as WorkspacePath, ABSENT, child.state),
  message: `${inTheWay(folder)} ${child.path} (${describePathState(child.state)}), which nobody recorded`,
  ...(creator && {
    why: 'dependent',
    later: creator,
    message: `${folder}: holds ${child.path}, made by ${by(creator)}; take that back first`,
  }),
});

/** The folder in which something would be restored was removed by a recorded change. */
export const folderRemoved = (path: WorkspacePath, remover: IndexedOperation, found: PathState): Obstacle => ({
  why: 'dependent',
  path: remover.path,
  expected: remover.before,
  found,
  later: remover,
  message: `${path}: its folder ${remover.path} was removed later by ${by(remover)}; take that back first`,
});

/** The folder in which something would be restored is gone, and nobody recorded that. */
export const folderMissing = (
  path: WorkspacePath,
  expected: PathState,
  folder: string,
  found: PathState,
): Obstacle => ({
  why: 'outside',
  path,
  expected,
  found: expected,
  later: null,
  message: `${path}: its folder ${folder} was changed outside: expected a directory, found ${describePathState(found)}`,
});

/** What would have to be restored is not to be had. */
export const preImageLost = (operation: IndexedOperation, path: WorkspacePath, found: PathState): Obstacle => ({
  why: 'lossy',
  path,
  expected: operation.after,
  found,
  later: null,
  message: `${path}: what was there before (${describePathState(operation.before)}) was not kept`,
});

/**
 * The object stands under another name, but cannot be moved back: so many change places in a circle that one request does
 * not hold them all. A copy of it is not kept either.
 */
export const tooManyToMove = (
  operation: IndexedOperation,
  path: WorkspacePath,
  found: PathState,
  from: string,
): Obstacle => ({
  why: 'lossy',
  path,
  expected: operation.after,
  found,
  later: null,
  message:
    `${path}: more than ${MAX_STEPS_PER_REQUEST} files would change places in a circle at once, and the content of ` +
    `${from}, which goes back here, is not kept, so that it cannot be made anew; move the files back one by one`,
});

/** Nothing of it stands any more. */
export const alreadyUndone = (
  operation: IndexedOperation,
  found: PathState,
  takenBackBy: IndexedOperation | undefined,
): Obstacle => ({
  why: 'undone',
  path: operation.path,
  expected: operation.after,
  found,
  later: takenBackBy ?? null,
  message: `already taken back${takenBackBy ? ` by ${by(takenBackBy)}` : ''}`,
});

/** Everything else could go back, but not all of what was asked for. */
export const notAlone = (operation: IndexedOperation, path: WorkspacePath, found: PathState): Obstacle => ({
  why: 'all_or_none',
  path,
  expected: operation.after,
  found,
  later: null,
  message: `${path}: could be taken back, but not all that is selected can (all_or_none)`,
});

export const leftOut = (
  logical_operation_id: LogicalOperationId,
  { later, ...obstacle }: Obstacle,
  only_path: boolean,
): LeftOut => ({
  logical_operation_id,
  ...obstacle,
  only_path,
  later: later && { logical_operation_id: later.logical_operation_id, agent: later.agent },
});
