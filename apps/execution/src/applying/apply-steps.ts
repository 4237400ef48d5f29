import { describePathState, type PathState } from '@retrace/contracts';
import { failpoint } from '@retrace/platform';
import {
  applyTransition,
  captureState,
  isFsError,
  keepStaged,
  type Stat,
  undoTransition,
  writeInPlace,
} from '@retrace/workspace-fs';
import type { JournalStep } from '../journal/journal-record.js';
import type { Workspace } from '../workspaces/workspace.js';
import { preImageName } from './plan-work.js';
import { type Refusal, refusal, refusalOf } from './refusal.js';
import { readStaged, type StageDurability } from './stage-work.js';

export type AppliedWork = { readonly outcome: 'applied' } | { readonly outcome: 'refused'; readonly refusal: Refusal };

/**
 * Carries out staged and journaled steps in order, from `first` on. When one is refused, all before it are taken back
 * and the refusal says what was found; paths that somebody changed in between are listed, never overwritten.
 */
export function applySteps(
  workspace: Workspace,
  steps: readonly JournalStep[],
  durability: StageDurability,
  stats: readonly (Stat | undefined)[] = [],
  first = 0,
): AppliedWork {
  for (let i = first; i < steps.length; i++) {
    if (i === 0) failpoint('apply.before-operation');
    else failpoint('apply.between-operations');
    const failed = applyStep(workspace, steps[i]!, i, durability, stats[i]);
    if (!failed) continue;
    const needsAttention = undoSteps(workspace, steps.slice(0, failed.maybeApplied ? i + 1 : i), durability);
    return { outcome: 'refused', refusal: attended(failed.refusal, needsAttention) };
  }
  return { outcome: 'applied' };
}

export function attended(refused: Refusal, found: Refusal['needsAttention']): Refusal {
  const needsAttention = [...refused.needsAttention, ...found];
  if (needsAttention.length === 0) return refused;
  const paths = needsAttention.map(({ path }) => path).join(', ');
  const message = `${refused.message}; somebody changed ${paths} in the middle of it: look at them`;
  return { ...refused, code: 'needs_attention', message, needsAttention };
}

interface FailedStep {
  readonly refusal: Refusal;
  /** A call that threw may have come before or after the change; an answer means that nothing changed. */
  readonly maybeApplied: boolean;
}

function applyStep(
  workspace: Workspace,
  step: JournalStep,
  at: number,
  durability: StageDurability,
  stat: Stat | undefined,
): FailedStep | undefined {
  try {
    const options = { durability, cache: workspace.cache };
    const result = step.inPlace
      ? writeInPlace(workspace.root, step, () => readStaged(workspace, step.stageName), options)
      : applyTransition(workspace.root, step, stat, options);
    if (result.outcome === 'applied') return undefined;
    const refused = result.outcome === 'writer' ? openWriter(step, at) : changed(step, at, result.found);
    return { refusal: withKept(refused, step, result), maybeApplied: false };
  } catch (error) {
    return { refusal: refusalOf(error, at, step.path), maybeApplied: true };
  }
}

/** A newer version of somebody else's that found no way back lies in staging: it is theirs, and they are told where. */
function withKept(refused: Refusal, { path }: JournalStep, result: object): Refusal {
  const kept = 'kept' in result && typeof result.kept === 'string' ? result.kept : undefined;
  if (kept === undefined) return refused;
  const found = refused.found ?? ({ kind: 'absent' } as const);
  return { ...refused, needsAttention: [{ path, found, kept }] };
}

const openWriter = ({ path }: JournalStep, failedAt: number): Refusal =>
  refusal('writer_active', `somebody has ${path} open for writing; try again once it is closed`, { failedAt, path });

function changed({ path, from }: JournalStep, failedAt: number, found: PathState): Refusal {
  const same = from.kind === 'directory' && found.kind === 'directory';
  const message = same
    ? `the folder ${path} is not empty; somebody put something into it`
    : `${path} changed meanwhile: expected ${describePathState(from)}, found ${describePathState(found)}; nothing was overwritten`;
  return refusal(same ? 'not_empty' : 'changed_outside', message, { failedAt, path, expected: from, found });
}

/** Takes steps back, newest first. Answers the paths that somebody else changed in between. */
export function undoSteps(
  workspace: Workspace,
  steps: readonly JournalStep[],
  durability: StageDurability,
): Refusal['needsAttention'] {
  const attention: { path: string; found: PathState; kept: string | null }[] = [];
  for (const step of steps.toReversed()) {
    try {
      const options = { durability, cache: workspace.cache };
      const result = step.inPlace
        ? undoInPlace(workspace, step, durability)
        : undoTransition(workspace.root, step, options);
      if (result.outcome === 'undone') continue;
      const kept = ('kept' in result && result.kept) || keep(workspace, step);
      attention.push({ path: step.path, found: 'found' in result ? result.found : lookAt(workspace, step.path), kept });
    } catch (error) {
      if (!isFsError(error)) throw error;
      attention.push({ path: step.path, found: lookAt(workspace, step.path), kept: keep(workspace, step) });
    }
  }
  return attention;
}

/** What lies in staging may be the only copy: it is kept under a name that nothing cleans up. */
export function keep({ root }: Workspace, step: JournalStep): string | null {
  try {
    return keepStaged(root, step.inPlace ? preImageName(step) : step.stageName);
  } catch (error) {
    if (isFsError(error, 'absent')) return null;
    throw error;
  }
}

function lookAt({ root, cache }: Workspace, path: string): PathState {
  try {
    return captureState(root.rootFd, path, { cache }).state;
  } catch (error) {
    if (isFsError(error)) return { kind: 'absent' };
    throw error;
  }
}

/** The copy taken before goes back into the same inode. */
function undoInPlace(
  workspace: Workspace,
  step: JournalStep,
  durability: StageDurability,
): { outcome: 'undone' } | { outcome: 'changed'; found: PathState } {
  const found = lookAt(workspace, step.path);
  if (found.kind !== 'file') return { outcome: 'changed', found };
  const back = { path: step.path, from: found, to: step.from, stageName: step.stageName };
  const result = writeInPlace(workspace.root, back, () => readStaged(workspace, preImageName(step)), { durability });
  return result.outcome === 'applied' ? { outcome: 'undone' } : result;
}
