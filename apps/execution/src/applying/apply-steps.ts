import { describePathState, type PathState, samePathState } from '@retrace/contracts';
import { failpoint } from '@retrace/platform';
import { applyTransition, isFsError, listDirectory, type Stat, writeInPlace } from '@retrace/workspace-fs';
import type { JournalStep } from '../journal/journal-record.js';
import type { Workspace } from '../workspaces/workspace.js';
import { fromStaging } from './content-source.js';
import type { Stepwise } from './pace.js';
import { attended, type Refusal, refusal, refusalOf } from './refusal.js';
import type { StageDurability } from './stage-step.js';
import { undoSteps } from './undo-steps.js';

export type AppliedWork =
  /** `tookMs`: per step that was carried out here, by its place; absent for those that an earlier process did. */
  | { readonly outcome: 'applied'; readonly tookMs?: ReadonlyMap<number, number> }
  | { readonly outcome: 'refused'; readonly refusal: Refusal };

/**
 * Carries out staged and journaled steps in order, from `first` on. When one is refused, all before it are taken back
 * and the refusal says what was found; paths that somebody changed in between are listed, never overwritten.
 */
export function* applySteps(
  workspace: Workspace,
  steps: readonly JournalStep[],
  durability: StageDurability,
  stats: readonly (Stat | undefined)[] = [],
  first = 0,
): Stepwise<AppliedWork> {
  const tookMs = new Map<number, number>();
  for (let i = first; i < steps.length; i++) {
    if (i === 0) failpoint('apply.before-operation');
    else failpoint('apply.between-operations');
    if (steps[i]!.moved === 'in') failpoint('move.between');
    const began = performance.now();
    const failed = applyStep(workspace, steps[i]!, steps[i]!.at, durability, stats[i]);
    tookMs.set(i, performance.now() - began);
    yield;
    if (!failed) continue;
    const needsAttention = yield* undoSteps(workspace, steps.slice(0, failed.maybeApplied ? i + 1 : i), durability);
    return { outcome: 'refused', refusal: attended(failed.refusal, needsAttention) };
  }
  return { outcome: 'applied', tookMs };
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
      ? writeInPlace(workspace.root, step, fromStaging(workspace, step.stageName).read, options)
      : applyTransition(workspace.root, step, stat, options);
    if (result.outcome === 'applied') return undefined;
    const refused = result.outcome === 'writer' ? openWriter(step, at) : changed(workspace, step, at, result.found);
    return { refusal: withKept(refused, step, result), maybeApplied: false };
  } catch (error) {
    return { refusal: refusalOf(error, at, step.path), maybeApplied: true };
  }
}

/** A newer version of somebody else's that found no way back lies in staging: it is theirs, and they are told where. */
function withKept(refused: Refusal, { path }: JournalStep, result: object): Refusal {
  const kept = 'kept' in result && typeof result.kept === 'string' ? result.kept : undefined;
  if (kept === undefined) return refused;
  return attended(refused, [{ path, found: refused.found ?? { kind: 'absent' }, kept }]);
}

const openWriter = ({ path }: JournalStep, failedAt: number): Refusal =>
  refusal('writer_active', `somebody has ${path} open for writing; try again once it is closed`, { failedAt, path });

function changed(workspace: Workspace, { path, from }: JournalStep, failedAt: number, found: PathState): Refusal {
  const filled = from.kind === 'directory' && samePathState(from, found);
  const message = filled
    ? `the folder ${path} is not empty; somebody put ${namesIn(workspace, path)} into it`
    : `${path} changed meanwhile: expected ${describePathState(from)}, found ${describePathState(found)}; nothing was overwritten`;
  return refusal(filled ? 'not_empty' : 'changed_outside', message, { failedAt, path, expected: from, found });
}

const MOST_NAMES = 5;

function namesIn({ root }: Workspace, folder: string): string {
  try {
    const names = listDirectory(root.rootFd, folder).map(({ name }) => JSON.stringify(name.toString()));
    return names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', …' : '') || 'something';
  } catch (error) {
    if (isFsError(error)) return 'something';
    throw error;
  }
}
