import { type PathState, samePathState } from '@retrace/contracts';
import { failpoint } from '@retrace/platform';
import { isFsError, keepStaged, undoTransition, writeInPlace } from '@retrace/workspace-fs';
import type { JournalStep } from '../journal/journal-record.js';
import type { Workspace } from '../workspaces/workspace.js';
import { fromStaging } from './content-source.js';
import { preImageName } from './journal-step.js';
import { lookAt, lookAtLeniently } from './look-at.js';
import type { Stepwise } from './pace.js';
import type { Attention } from './refusal.js';
import type { StageDurability } from './stage-step.js';
import { isTornWrite } from './torn-write.js';

type Undone =
  | { readonly outcome: 'undone'; readonly kept?: string }
  | { readonly outcome: 'changed'; readonly found: PathState; readonly kept?: string | undefined };

/** Takes steps back, newest first. Answers the paths that somebody else changed in between, each once. */
export function* undoSteps(
  workspace: Workspace,
  steps: readonly JournalStep[],
  durability: StageDurability,
): Stepwise<Attention[]> {
  const attention = new Map<string, Attention>();
  for (const step of steps.toReversed()) {
    failpoint('undo.before-operation');
    const result = undoStep(workspace, step, durability);
    yield;
    if (result.outcome === 'undone' && result.kept === undefined) continue;
    // What lies in staging may be the only copy of the old version.
    const kept = result.kept ?? keep(workspace, step) ?? attention.get(step.path)?.kept ?? null;
    const found = 'found' in result ? result.found : lookAtLeniently(workspace, step.path);
    attention.set(step.path, { path: step.path, found, kept });
  }
  return [...attention.values()];
}

function undoStep(workspace: Workspace, step: JournalStep, durability: StageDurability): Undone {
  try {
    if (step.inPlace) return undoInPlace(workspace, step, durability);
    const keepTaken = step.moved === 'in';
    const result = undoTransition(workspace.root, step, { durability, cache: workspace.cache, keepTaken });
    return result.outcome === 'writer' ? notUndone(workspace, step, result.kept) : result;
  } catch (error) {
    if (!isFsError(error)) throw error;
    return notUndone(workspace, step);
  }
}

const notUndone = (workspace: Workspace, { path }: JournalStep, kept?: string): Undone => ({
  outcome: 'changed',
  found: lookAtLeniently(workspace, path),
  kept,
});

/** The copy taken before goes back into the same inode: over what was written or half written, nothing else. */
function undoInPlace(workspace: Workspace, step: JournalStep, durability: StageDurability): Undone {
  const found = lookAt(workspace, step.path);
  if (samePathState(found, step.from)) return { outcome: 'undone' };
  if (!samePathState(found, step.to) && !isTornWrite(workspace, step)) return { outcome: 'changed', found };
  const back = { path: step.path, from: found, to: step.from, stageName: step.stageName };
  const result = writeInPlace(workspace.root, back, fromStaging(workspace, preImageName(step)).read, { durability });
  return result.outcome === 'applied' ? { outcome: 'undone' } : result;
}

/** Under the new name nothing cleans it up. */
function keep({ root }: Workspace, step: JournalStep): string | null {
  // What lies there belongs to the path that it came from, which is next.
  if (step.moved === 'in') return null;
  try {
    return keepStaged(root, step.inPlace ? preImageName(step) : step.stageName);
  } catch (error) {
    if (isFsError(error, 'absent')) return null;
    throw error;
  }
}
