import { dropStaged } from '@retrace/workspace-fs';
import type { Authority } from '../domain/authority.js';
import type { JournalStep } from '../journal/journal-record.js';
import type { Blobs } from '../ports/blobs.port.js';
import type { Workspace } from '../workspaces/workspace.js';
import { stageNamesOf } from './journal-step.js';
import { type PlannedStep, planStep, tasksOf } from './plan-step.js';
import { Refused, refusalOf } from './refusal.js';
import { INLINE_BYTES, type SimulatedTree } from './simulated-tree.js';
import { type StageDurability, stageStep } from './stage-step.js';

/**
 * Plans every operation on the tree as the earlier ones leave it, and puts each new object into staging; the workspace
 * is not touched. Large content is let go of as soon as it is staged. Throws {@link Refused}, `Stale`, or what a retry
 * helps against; what was staged is then gone again.
 */
export async function prepareWork(
  authority: Authority,
  workspace: Workspace,
  tree: SimulatedTree,
  blobs: Blobs,
  durability: StageDurability,
): Promise<PlannedStep[]> {
  const steps: PlannedStep[] = [];
  try {
    for (const [i, task] of tasksOf(authority).entries()) {
      const planned = await planStep(authority, task, i, tree, blobs);
      const { step, path, from, to } = planned;
      steps.push(planned);
      steps[i] = await staged(workspace, planned, i, blobs, durability);
      tree.plan(path, from, to, steps[i].content, step.operationId);
    }
    return steps;
  } catch (error) {
    dropAll(
      workspace,
      steps.map(({ step }) => step),
    );
    throw error;
  }
}

async function staged(
  workspace: Workspace,
  planned: PlannedStep,
  i: number,
  blobs: Blobs,
  durability: StageDurability,
): Promise<PlannedStep> {
  try {
    const notes = await stageStep(workspace, planned, blobs, durability);
    const { from, content } = planned;
    return {
      ...planned,
      from: { ...from, content: undefined },
      content: content && content.length <= INLINE_BYTES ? content : undefined,
      notes: [...planned.notes, ...notes],
    };
  } catch (error) {
    throw new Refused(refusalOf(error, i, planned.path));
  }
}

export function dropAll({ root }: Workspace, steps: readonly JournalStep[]): void {
  for (const name of steps.flatMap(stageNamesOf)) dropStaged(root, name);
}
