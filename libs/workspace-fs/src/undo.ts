import { samePathState, type PathState } from '@retrace/contracts';
import { applyTransition } from './apply.js';
import type { Refused } from './apply-work.js';
import { classify } from './classify.js';
import type { WorkspaceRoot } from './control-folder.js';
import { SafeFsError } from './safe-fs-error.js';
import { stage, type StageOptions } from './stage.js';
import { dropStaged, keepStaged, partName } from './staging.js';
import { invert, shapeOf, type Transition, type TransitionOptions } from './transition.js';

/** `undone`: the path is in state `from`, and our own object is gone. */
export type UndoResult = { outcome: 'undone'; kept?: string } | Refused;
export type UndoOptions = TransitionOptions &
  Pick<StageOptions, 'like'> & {
    /** The object came from another path by way of staging: what is taken out stays there, for the way on. */
    keepTaken?: boolean;
  };

/** Nothing was applied, or it was taken back already: only our own object may be left in staging. */
function clearStaged(root: WorkspaceRoot, { stageName, from, to }: Transition, staged: PathState): UndoResult {
  if (staged.kind === 'absent') return { outcome: 'undone' };
  if (!samePathState(staged, from) && !samePathState(staged, to))
    return { outcome: 'undone', kept: keepStaged(root, stageName) };
  dropStaged(root, stageName);
  return { outcome: 'undone' };
}

/** Answers whether the object at the path is somebody else's of equal state, because ours still lies in staging. */
function neverApplied(back: Transition, staged: PathState): boolean {
  const shape = shapeOf(back);
  if (shape === 'take' || shape === 'rmdir') return staged.kind !== 'absent';
  return shape === 'exchange' && samePathState(staged, back.from);
}

/** The inverse runs on the same machinery: what `apply` left under `stageName` is the new object of the way back. */
function bringBack(root: WorkspaceRoot, transition: Transition, staged: PathState, options: UndoOptions): UndoResult {
  const back = invert(transition);
  const shape = shapeOf(back);
  if (neverApplied(back, staged)) return { outcome: 'changed', found: transition.to };
  const remade = shape === 'place' && transition.from.kind === 'directory';
  if (remade) stage(root, back, () => [], options);
  else if ((shape === 'place' || shape === 'exchange') && staged.kind === 'absent')
    throw new SafeFsError('absent', 'undoTransition', 0, transition.stageName);
  const result = applyTransition(root, back, undefined, options);
  if (result.outcome !== 'applied') return result;
  if (result.preImage === 'staged' && options.keepTaken !== true) dropStaged(root, transition.stageName);
  const restoredOther =
    !remade && (shape === 'place' || shape === 'exchange') && !samePathState(staged, transition.from);
  return restoredOther ? { outcome: 'changed', found: staged } : { outcome: 'undone' };
}

/**
 * Brings a path from `to` back to `from` with the pre-image that lies under `stageName`; may be called at any point
 * of a transition, also when it was only staged, and again after a crash within.
 * It goes by states alone: a path that somebody else brought into state `to` is brought back too, so call it only for
 * transitions whose `applyTransition` did not answer `changed` or `writer`.
 * A staged object that is not `from` is somebody's newer version caught by a crash: it goes back to the path, and the
 * answer is `changed`.
 * @throws SafeFsError absent when the pre-image is not in staging; as `applyTransition` otherwise
 */
export function undoTransition(root: WorkspaceRoot, transition: Transition, options: UndoOptions = {}): UndoResult {
  if (shapeOf(transition) === 'nothing') return { outcome: 'undone' };
  const { position, found, staged } = classify(root, transition, options.cache);
  dropStaged(root, partName(transition.stageName));
  if (options.keepTaken === true && samePathState(staged, transition.to)) return { outcome: 'undone' };
  switch (position) {
    case 'before':
      return clearStaged(root, transition, staged);
    case 'neither':
      return { outcome: 'changed', found };
    case 'after':
      return bringBack(root, transition, staged, options);
  }
}
