import { type PathState, samePathState } from '@retrace/contracts';
import { classify, isFsError } from '@retrace/workspace-fs';
import { type Evidence, progressOf, type StepStates } from '../domain/progress.js';
import type { JournalStep } from '../journal/journal-record.js';
import type { Workspace } from '../workspaces/workspace.js';
import { type AppliedWork, applySteps } from './apply-steps.js';
import { sameContent } from './journal-step.js';
import { lookAt } from './look-at.js';
import type { Stepwise } from './pace.js';
import { type Attention, attended, refusal } from './refusal.js';
import type { StageDurability } from './stage-step.js';
import { isTornWrite } from './torn-write.js';
import { undoSteps } from './undo-steps.js';

/**
 * Ends journaled work that was cut off anywhere: forward where everything is there, else back. Paths that somebody else
 * changed in between are left as they are and listed. Throws where a path cannot be looked at: then nothing was done.
 */
export function* endPrepared(
  workspace: Workspace,
  steps: readonly JournalStep[],
  durability: StageDurability,
): Stepwise<AppliedWork> {
  const present = new Map<string, PathState>();
  const seen: StepStates[] = [];
  for (const step of steps) {
    if (!present.has(step.path)) present.set(step.path, lookAt(workspace, step.path));
    seen.push({ ...step, evidence: evidenceOf(workspace, step) });
    yield;
  }
  const progress = progressOf(seen, present);
  const { applied } = progress;
  if (progress.kind === 'foreign') return yield* endForeign(workspace, steps, durability, present, progress);
  const last = steps[applied - 1];
  // The crash came between taking an object out and seeing that it was somebody's newer one.
  const unseen = last !== undefined && !last.inPlace && classify(workspace.root, last, workspace.cache).foreign;
  if (unseen || !(yield* areReady(workspace, steps, applied)))
    return yield* takeBack(workspace, steps.slice(0, applied), durability);
  return yield* applySteps(workspace, steps, durability, [], applied);
}

/** What lies under a step's name in staging tells how far it came, where its paths' states alone do not. */
function evidenceOf(workspace: Workspace, step: JournalStep): Evidence {
  const { from, to } = step;
  if (step.inPlace || !movesObject(step)) return 'unknown';
  const staged = stagedOf(workspace, step);
  if (staged === undefined) return 'unknown';
  // Half way from one path to another: the one is done, the other is not. Gone from staging, it is at one of its ends.
  if (step.moved) return staged.kind === 'absent' ? 'unknown' : step.moved === 'out' ? 'applied' : 'not_applied';
  if (to.kind === 'absent') return staged.kind === 'absent' ? 'not_applied' : 'applied';
  if (samePathState(staged, to)) return 'not_applied';
  // Gone: placed, or taken back and cleared.
  return from.kind === 'absent' || staged.kind === 'absent' ? 'unknown' : 'applied';
}

function stagedOf({ root, cache }: Workspace, step: JournalStep): PathState | undefined {
  try {
    return classify(root, step, cache).staged;
  } catch (error) {
    // What stands at the path cannot be read: that is found where it is looked at.
    if (isFsError(error)) return undefined;
    throw error;
  }
}

/** Whether a step moves something from or into staging; else it sets a mode, removes an empty folder, or does nothing. */
const movesObject = ({ from, to }: JournalStep): boolean =>
  to.kind === 'absent' ? from.kind === 'file' || from.kind === 'link' : needsObject(from, to);

const needsObject = (from: PathState, to: PathState): boolean =>
  to.kind !== 'absent' &&
  !samePathState(from, to) &&
  !sameContent(from, to) &&
  !(from.kind === 'directory' && to.kind === 'directory');

/** Whether all that the steps after the first `applied` ones need lies in staging, or comes there by one of them. */
function* areReady(workspace: Workspace, steps: readonly JournalStep[], applied: number): Stepwise<boolean> {
  const coming = new Set<string>();
  for (const step of steps.slice(applied)) {
    if (step.moved === 'out') coming.add(step.stageName);
    else if (!coming.has(step.stageName) && !isReady(workspace, step)) return false;
    yield;
  }
  return true;
}

/** A step that was taken back once has nothing in staging any more. */
function isReady(workspace: Workspace, step: JournalStep): boolean {
  if (!needsObject(step.from, step.to)) return true;
  const staged = stagedOf(workspace, step);
  return staged !== undefined && samePathState(staged, step.to);
}

function* endForeign(
  workspace: Workspace,
  steps: readonly JournalStep[],
  durability: StageDurability,
  present: ReadonlyMap<string, PathState>,
  { applied, paths }: { readonly applied: number; readonly paths: readonly string[] },
): Stepwise<AppliedWork> {
  const torn =
    paths.length > 1 ? -1 : steps.findIndex((step) => step.path === paths[0] && isTornWrite(workspace, step));
  if (torn >= 0) return yield* takeBack(workspace, steps.slice(0, torn + 1), durability);
  const undone = yield* undoSteps(workspace, steps.slice(0, applied), durability);
  const told = new Set(undone.map(({ path }) => path));
  const others = paths.filter((path) => !told.has(path));
  const untouched = others.map((path): Attention => ({ path, found: present.get(path)!, kept: null }));
  return { outcome: 'refused', refusal: attended(interrupted(), [...undone, ...untouched]) };
}

function* takeBack(
  workspace: Workspace,
  steps: readonly JournalStep[],
  durability: StageDurability,
): Stepwise<AppliedWork> {
  return { outcome: 'refused', refusal: attended(interrupted(), yield* undoSteps(workspace, steps, durability)) };
}

const interrupted = () =>
  refusal('io', 'the executor ended in the middle; what it had done was taken back. Send the intent again');
