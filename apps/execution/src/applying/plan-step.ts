import {
  type AuthorizedOperation,
  describePathState,
  type PathState,
  samePathState,
  type WorkspacePath,
} from '@retrace/contracts';
import { isFsError, type Stat } from '@retrace/workspace-fs';
import type { Authority, RestoreOperation } from '../domain/authority.js';
import type { JournalStep, KeptContent } from '../journal/journal-record.js';
import type { Blobs } from '../ports/blobs.port.js';
import { journalStep, keptPreImage, keptResult } from './journal-step.js';
import { planOperation } from './plan-operation.js';
import { Refused, refusal, refusalOf, Stale } from './refusal.js';
import type { Present, SimulatedTree } from './simulated-tree.js';

/** One step with all that staging, the journal and the record need. */
export interface PlannedStep {
  readonly step: JournalStep;
  readonly path: WorkspacePath;
  readonly from: Present;
  readonly to: PathState;
  /** Computed here (edits); else fetched by hash when it is staged. */
  readonly content: Uint8Array | undefined;
  /** Content that the record keeps for the blob store. */
  readonly kept: readonly KeptContent[];
  readonly matches: number | null;
  readonly notes: readonly string[];
  readonly stat: Stat | undefined;
}

/** One thing to do, whichever event gave the right to do it. */
type Task =
  | { readonly path: WorkspacePath; readonly operation: AuthorizedOperation }
  | { readonly path: WorkspacePath; readonly restore: RestoreOperation };

export const tasksOf = ({ work }: Authority): Task[] =>
  work.kind === 'operation'
    ? work.operations.map((operation) => ({ path: operation.canonical, operation }))
    : work.steps.map((restore) => ({ path: restore.path, restore }));

/** Plans one step on the tree as the earlier ones leave it. Throws {@link Refused} or {@link Stale}; changes nothing. */
export async function planStep(
  authority: Authority,
  task: Task,
  i: number,
  tree: SimulatedTree,
  blobs: Blobs,
): Promise<PlannedStep> {
  try {
    return 'operation' in task
      ? await planAuthorized(authority, task.operation, i, tree, blobs)
      : planRestore(authority, task.restore, i, tree);
  } catch (error) {
    if (error instanceof Stale) throw error;
    // A link on the way: policy judges the path that it leads to. A plan to restore names paths that had no link.
    if (isFsError(error, 'link_refused') && 'operation' in task) throw new Stale(task.path, 'link');
    throw new Refused(refusalOf(error, i, task.path));
  }
}

async function planAuthorized(
  authority: Authority,
  operation: AuthorizedOperation,
  i: number,
  tree: SimulatedTree,
  blobs: Blobs,
): Promise<PlannedStep> {
  const { request, canonical } = operation;
  const { from, to, content, matches, notes } = await planOperation(operation, tree, blobs);
  const writeMode = 'write_mode' in request ? request.write_mode : undefined;
  const step = journalStep(authority, i, { operationId: request.operation_id, path: canonical, from, to, writeMode });
  const kept = [...keptPreImage(step, from), ...keptResult(to, content)];
  return { step, path: canonical, from, to, content, matches, notes, stat: from.stat, kept };
}

function planRestore(authority: Authority, restore: RestoreOperation, i: number, tree: SimulatedTree): PlannedStep {
  const { path, restore: to, operation_id: operationId } = restore;
  const from = tree.at(path);
  if (!samePathState(from.state, restore.expect)) throw movedSincePlan(restore, from.state);
  const step = journalStep(authority, i, { operationId, path, from, to });
  const kept = keptPreImage(step, from);
  return { step, path, from, to, content: undefined, matches: null, notes: [], stat: from.stat, kept };
}

const movedSincePlan = ({ path, expect }: RestoreOperation, found: PathState): Refused =>
  new Refused(
    refusal(
      'changed_outside',
      `changed since the plan: expected ${describePathState(expect)}, found ${describePathState(found)}; plan again`,
      { path, expected: expect, found },
    ),
  );
