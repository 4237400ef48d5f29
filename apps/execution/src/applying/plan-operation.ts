import {
  ABSENT,
  type AuthorizedOperation,
  type BlobHash,
  describePathState,
  type FileState,
  type PathState,
} from '@retrace/contracts';
import type { Blobs } from '../ports/blobs.port.js';
import type { Workspace } from '../workspaces/workspace.js';
import { requirePinned, requireRecorded } from './check-present.js';
import type { NewContent } from './content-source.js';
import { planAppend } from './plan-append.js';
import { LARGEST_EDIT_BYTES, planEdit } from './plan-edit.js';
import { planMode, withoutSetId } from './plan-mode.js';
import { planRemoval } from './plan-removal.js';
import { planCopy, planMove, type TransferOperation } from './plan-transfer.js';
import type { PlannedChange } from './planned-change.js';
import { Refused, refusal, Stale } from './refusal.js';
import { requireParent } from './require-parent.js';
import type { Present, SimulatedTree } from './simulated-tree.js';

export interface Surroundings {
  readonly workspace: Workspace;
  readonly tree: SimulatedTree;
  readonly blobs: Blobs;
}

/** What one operation makes of its path. */
interface Planned {
  readonly to: PathState;
  readonly content?: NewContent;
  readonly matches?: number;
  readonly notes: readonly string[];
}

/**
 * Decides what an authorized operation does to what stands there: one change, or the halves of a move in the order in
 * which they are applied. Throws {@link Refused} or {@link Stale}.
 */
export async function planOperation(operation: AuthorizedOperation, around: Surroundings): Promise<PlannedChange[]> {
  if (isTransfer(operation))
    return operation.request.action === 'move' ? planMove(operation, around.tree) : planCopy(operation, around.tree);
  return [await planOnePath(operation, around)];
}

const isTransfer = (operation: AuthorizedOperation): operation is TransferOperation =>
  operation.request.action === 'move' || operation.request.action === 'copy';

async function planOnePath(operation: AuthorizedOperation, around: Surroundings): Promise<PlannedChange> {
  const { request, canonical: path, pin, decision, moved, source } = operation;
  const { tree } = around;
  const from = tree.at(path, request.action === 'edit' ? LARGEST_EDIT_BYTES : undefined);
  refuseLink(operation, from);
  requirePinned({ path, pin, expected: request.expected }, from);
  const noted = requireRecorded(request.action, path, from, request.expected);
  requireParent(path, tree);
  const planned = await change(operation, from, around);
  const { to, notes: cleared } =
    request.action === 'chmod' ? { ...planned, notes: [] } : withoutSetId(from, planned.to);
  const action = operation.recorded_as ?? request.action;
  return {
    operationId: request.operation_id,
    path,
    from,
    to,
    writeMode: 'write_mode' in request ? request.write_mode : undefined,
    content: planned.content,
    record: {
      typed: request.path,
      action,
      before: from,
      decision,
      expected: request.expected,
      matches: planned.matches ?? null,
      notes: [...planned.notes, ...cleared, ...noted],
      partOf: operation.part_of,
      movedFrom: moved?.from,
      movedTo: moved?.to,
      copiedFrom: action === 'copy' ? source?.canonical : undefined,
    },
  };
}

/** These act on what a link points to: policy must have judged that path. */
const FOLLOWS = new Set<string>(['write', 'edit', 'append', 'chmod']);

function refuseLink({ request, canonical }: AuthorizedOperation, from: Present): void {
  if (FOLLOWS.has(request.action) && from.state.kind === 'link') throw new Stale(canonical, 'link');
}

async function change(
  operation: AuthorizedOperation,
  from: Present,
  { workspace, tree, blobs }: Surroundings,
): Promise<Planned> {
  const { request } = operation;
  switch (request.action) {
    case 'create':
      requireAbsent(from, 'write overwrites');
      return { to: newFile(request.content_hash, request.size, request.mode ?? 0o644), notes: [] };
    case 'write':
      return { to: written(request, from), notes: [] };
    case 'edit':
      return planEdit(request, from, tree, blobs);
    case 'append':
      return planAppend(request, from, workspace, blobs);
    case 'mkdir':
      return folder(operation, from, request.mode);
    case 'chmod':
      return planMode(from, request.mode);
    case 'symlink':
      requireAbsent(from, 'delete it first, or choose another name');
      return { to: { kind: 'link', target: request.target }, notes: [] };
    case 'delete':
    case 'rmdir':
      planRemoval(operation, from, tree);
      return { to: ABSENT, notes: [] };
    case 'move':
    case 'copy':
      throw new TypeError(`${request.action} has two paths`);
  }
}

const newFile = (hash: BlobHash, size: number, mode: number): FileState => ({ kind: 'file', hash, size, mode });

function requireAbsent({ state }: Present, next: string): void {
  if (state.kind === 'absent') return;
  throw new Refused(refusal('exists', `${describePathState(state)} is there already; ${next}`, { found: state }));
}

/** A folder that is there already is left as it is; on behalf of a move or copy it would mix two folders. */
function folder(operation: AuthorizedOperation, { state }: Present, mode = 0o755): Planned {
  const { moved, recorded_as } = operation;
  const continues = moved?.from !== undefined || recorded_as === 'copy';
  if (state.kind === 'directory' && !continues) return { to: state, notes: ['the folder was there already'] };
  if (state.kind !== 'absent')
    throw new Refused(refusal('exists', `${describePathState(state)} is in the way`, { found: state }));
  return { to: { kind: 'directory', mode }, notes: [] };
}

function written(request: Extract<AuthorizedOperation['request'], { action: 'write' }>, { state }: Present): FileState {
  if (state.kind !== 'absent' && state.kind !== 'file')
    throw new Refused(
      refusal('not_a_file', `${describePathState(state)} is there; only a file is overwritten`, { found: state }),
    );
  const mode = request.mode ?? (state.kind === 'file' ? state.mode : 0o644);
  return newFile(request.content_hash, request.size, mode);
}
