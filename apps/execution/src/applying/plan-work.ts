import {
  describePathState,
  type OperationId,
  type PathState,
  samePathState,
  type WorkspacePath,
  type WriteMode,
} from '@retrace/contracts';
import { needsInPlace, type Stat } from '@retrace/workspace-fs';
import type { Authority, RestoreOperation } from '../domain/authority.js';
import type { JournalStep, KeptContent } from '../journal/journal-record.js';
import type { Blobs } from '../ports/blobs.port.js';
import { planOperation } from './plan-operation.js';
import { Refused, refusal, refusalOf, Stale } from './refusal.js';
import { INLINE_BYTES, type Present, SimulatedTree } from './simulated-tree.js';
import { isFsError } from '@retrace/workspace-fs';

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

/** Plans every operation on the tree as the earlier ones leave it. Throws {@link Refused} or {@link Stale}; changes nothing. */
export async function planWork(authority: Authority, tree: SimulatedTree, blobs: Blobs): Promise<PlannedStep[]> {
  const { work } = authority;
  const steps: PlannedStep[] = [];
  const count = work.kind === 'operation' ? work.operations.length : work.steps.length;
  for (let i = 0; i < count; i++) {
    const path = work.kind === 'operation' ? work.operations[i]!.canonical : work.steps[i]!.path;
    try {
      const step =
        work.kind === 'operation' ? await planAuthorized(authority, i, tree, blobs) : planRestore(authority, i, tree);
      tree.plan(step.path, step.to, step.content, step.step.operationId);
      steps.push(step);
    } catch (error) {
      if (error instanceof Stale) throw error;
      // A link on the way: policy judges the path that it leads to. A plan to restore names paths that had no link.
      if (isFsError(error, 'link_refused') && work.kind === 'operation') throw new Stale(path, 'link');
      throw new Refused(refusalOf(error, i, path));
    }
  }
  return steps;
}

async function planAuthorized(
  authority: Authority,
  i: number,
  tree: SimulatedTree,
  blobs: Blobs,
): Promise<PlannedStep> {
  const operation = (authority.work as { operations: readonly Parameters<typeof planOperation>[0][] }).operations[i]!;
  const { from, to, content, matches, notes } = await planOperation(operation, tree, blobs);
  const writeMode = 'write_mode' in operation.request ? operation.request.write_mode : undefined;
  const step = journalStep(authority, i, operation.request.operation_id, operation.canonical, from, to, writeMode);
  const keptResult: KeptContent[] =
    content && to.kind === 'file' && content.length <= INLINE_BYTES
      ? [{ kind: 'inline', hash: to.hash, bytes: content }]
      : [];
  return {
    step,
    path: operation.canonical,
    from,
    to,
    content,
    matches,
    notes: [...notes, ...markNotes(operation.request.action, from, content)],
    stat: from.stat,
    kept: [...keptPreImage(step, from), ...keptResult],
  };
}

function planRestore(authority: Authority, i: number, tree: SimulatedTree): PlannedStep {
  const restore = (authority.work as { steps: readonly RestoreOperation[] }).steps[i]!;
  const from = tree.at(restore.path);
  if (!samePathState(from.state, restore.expect)) throw movedSincePlan(restore, from.state);
  const step = journalStep(authority, i, restore.operation_id, restore.path, from, restore.restore, undefined);
  return {
    step,
    path: restore.path,
    from,
    to: restore.restore,
    content: undefined,
    matches: null,
    notes: [],
    stat: from.stat,
    kept: keptPreImage(step, from),
  };
}

const movedSincePlan = ({ path, expect }: RestoreOperation, found: PathState): Refused =>
  new Refused(
    refusal(
      'changed_outside',
      `changed since the plan: expected ${describePathState(expect)}, found ${describePathState(found)}; plan again`,
      { path, expected: expect, found },
    ),
  );

function journalStep(
  { workspace, sequence }: Authority,
  i: number,
  operationId: OperationId,
  path: WorkspacePath,
  from: Present,
  to: PathState,
  writeMode: WriteMode | undefined,
): JournalStep {
  const rewrites = from.state.kind === 'file' && to.kind === 'file' && !samePathState(from.state, to);
  const inPlace = rewrites && (writeMode === 'in_place' || (from.stat !== undefined && needsInPlace(from.stat)));
  return { operationId, path, from: from.state, to, stageName: `${workspace}-${sequence}-${i}`, inPlace };
}

/** Where the bytes of the pre-image are until the blob store has them. Earlier steps' results are stored anyway. */
function keptPreImage(step: JournalStep, from: Present): KeptContent[] {
  const { state } = from;
  if (state.kind !== 'file' || from.stat === undefined) return [];
  // Where only the mode changes the bytes stay where they are.
  if (step.to.kind === 'file' && step.to.hash === state.hash) return [];
  if (from.content && from.content.length <= INLINE_BYTES)
    return [{ kind: 'inline', hash: state.hash, bytes: from.content }];
  const { hash, size } = state;
  return [{ kind: 'staged', hash, size, stageName: step.inPlace ? preImageName(step) : step.stageName }];
}

/** A copy taken before a file is written in place. */
export const preImageName = (step: JournalStep): string => `${step.stageName}-before`;

const MARK = [0xef, 0xbb, 0xbf];
const hasMark = (content: Uint8Array | undefined): boolean => MARK.every((byte, i) => content?.[i] === byte);

/** An edit that took the byte-order mark away says so; a write's new content is looked at when it is staged. */
const markNotes = (action: string, from: Present, content: Uint8Array | undefined): string[] =>
  action === 'edit' && hasMark(from.content) && !hasMark(content) ? [MARK_REMOVED] : [];

export const MARK_REMOVED = 'the byte-order mark at the beginning was removed';
export const startsWithMark = hasMark;
