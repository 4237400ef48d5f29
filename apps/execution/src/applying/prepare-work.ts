import { dropStaged } from '@retrace/workspace-fs';
import type { Authority } from '../domain/authority.js';
import type { JournalStep } from '../journal/journal-record.js';
import { droppedNames, sameContent } from './journal-step.js';
import { Pace } from './pace.js';
import type { Surroundings } from './plan-operation.js';
import { type PlannedStep, StepPlanner, tasksOf } from './plan-step.js';
import type { PlannedChange } from './planned-change.js';
import { Refused, refusalOf } from './refusal.js';
import type { JournalRoom } from './journal-room.js';
import { INLINE_BYTES, type Left, type Present } from './simulated-tree.js';
import type { Workspace } from '../workspaces/workspace.js';
import { type StageDurability, stageStep } from './stage-step.js';

/**
 * Plans every operation on the tree as the earlier ones leave it, and puts each new object into staging; the workspace
 * is not touched. Large content is let go of as soon as it is staged. Throws {@link Refused}, `Stale`, or what a retry
 * helps against; what was staged is then gone again.
 */
export async function prepareWork(
  authority: Authority,
  around: Surroundings,
  durability: StageDurability,
): Promise<PlannedStep[]> {
  const steps: PlannedStep[] = [];
  const planner = new StepPlanner(authority, around);
  const pace = new Pace();
  try {
    for (const [at, task] of tasksOf(authority).entries()) {
      for (const planned of await planner.plan(task, at)) {
        steps.push(planned);
        around.tree.plan(planned.path, planned.from, leftBy(planned));
        steps[steps.length - 1] = await staged(planned, around, durability, planner.room);
      }
      await pace.breathe();
    }
    return steps;
  } catch (error) {
    await dropAll(
      around.workspace,
      steps.map(({ step }) => step),
    );
    throw error;
  }
}

async function staged(
  planned: PlannedStep,
  { workspace, blobs }: Surroundings,
  durability: StageDurability,
  room: JournalRoom,
): Promise<PlannedStep> {
  try {
    const { notes, kept } = await stageStep(workspace, planned, blobs, durability, room);
    const { record } = planned;
    return {
      ...planned,
      from: withoutBytes(planned.from),
      content: undefined,
      kept: [...planned.kept, ...kept],
      record: record && { ...record, before: withoutBytes(record.before), notes: [...(record.notes ?? []), ...notes] },
    };
  } catch (error) {
    throw new Refused(refusalOf(error, planned.step.at, planned.path));
  }
}

const withoutBytes = (present: Present): Present => ({ ...present, content: undefined });

/** What later operations of the same logical operation find at the path. */
function leftBy(planned: PlannedStep): Left {
  const { operationId, from, to, moved } = planned;
  const common = { state: to, operationId, ...(moved?.by && { movedBy: moved.by }) };
  if (moved?.half === 'in') return { ...common, heldAt: moved.object?.heldAt, like: moved.object?.like };
  const like = from.state.kind === to.kind ? from.like : undefined;
  if (sameContent(from.state, to))
    return { ...common, like, heldAt: from.heldAt, content: from.planned ? from.content : undefined };
  const { content } = planned;
  // The journal may hold the copy until it is stored: what it is a copy of is at hand.
  if (content?.kind === 'copied')
    return { ...common, like, heldAt: content.of.heldAt, content: content.of.planned ? content.of.content : undefined };
  return { ...common, like, content: smallContent(planned) };
}

function smallContent({ content }: PlannedChange): Uint8Array | undefined {
  const bytes = content?.kind === 'bytes' ? content.bytes : undefined;
  return bytes && bytes.length <= INLINE_BYTES ? bytes : undefined;
}

export async function dropAll({ root }: Workspace, steps: readonly JournalStep[]): Promise<void> {
  const pace = new Pace();
  for (const name of droppedNames(steps)) {
    dropStaged(root, name);
    await pace.breathe();
  }
}
