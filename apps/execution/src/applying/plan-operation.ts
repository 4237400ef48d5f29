import {
  ABSENT,
  type AuthorizedOperation,
  type BlobHash,
  describePathState,
  type FileState,
  parentPath,
  type PathState,
  samePathState,
} from '@retrace/contracts';
import { checkPin } from '../domain/check-pin.js';
import type { Blobs } from '../ports/blobs.port.js';
import { LARGEST_EDIT_BYTES, planEdit } from './plan-edit.js';
import type { PlannedChange } from './planned-change.js';
import { Refused, refusal, Stale } from './refusal.js';
import type { Present, SimulatedTree } from './simulated-tree.js';

/** Decides what an authorized operation does to what stands there. Throws {@link Refused} or {@link Stale}. */
export async function planOperation(
  operation: AuthorizedOperation,
  tree: SimulatedTree,
  blobs: Blobs,
): Promise<PlannedChange> {
  const { request, canonical, pin } = operation;
  const from = tree.at(canonical, request.action === 'edit' ? LARGEST_EDIT_BYTES : undefined);
  refuseLink(operation, from);
  if (request.expected && !samePathState(request.expected, from.state)) throw lostUpdate(request.expected, from);
  const checked = checkPin(pin, from.state, from.recorded);
  if (checked.outcome === 'stale') throw new Stale(canonical, checked.why);
  if (checked.outcome === 'outside')
    throw new Refused(
      refusal('changed_outside', checked.message, { path: canonical, expected: checked.expected, found: from.state }),
    );
  requireParent(canonical, tree);
  return withoutSetId(await change(operation, from, tree, blobs));
}

const SET_ID = 0o6000;

/** New content does not run with the rights of whom the old was trusted by: as the kernel clears these bits on a write. */
function withoutSetId(planned: PlannedChange): PlannedChange {
  const { from, to } = planned;
  if (to.kind !== 'file' || (to.mode & SET_ID) === 0) return planned;
  if (from.state.kind === 'file' && from.state.hash === to.hash) return planned;
  return {
    ...planned,
    to: { ...to, mode: to.mode & ~SET_ID },
    notes: [...planned.notes, 'the set-id bits of the old file were cleared'],
  };
}

/** A write or edit through a link acts on the link's target: policy must have judged that path. */
function refuseLink({ request, canonical }: AuthorizedOperation, from: Present): void {
  const follows = request.action === 'write' || request.action === 'edit';
  if (follows && from.state.kind === 'link') throw new Stale(canonical, 'link');
}

function lostUpdate(expected: PathState, { state, recorded }: Present): Refused {
  const who = recorded
    ? `last written by ${recorded.agent}${recorded.sessionId ? ` in ${recorded.sessionId}` : ''} (${recorded.operationId})`
    : 'changed by nobody on record';
  const message = `expected ${describePathState(expected)}, found ${describePathState(state)}, ${who}; read it again and decide anew`;
  return new Refused(refusal('expected_mismatch', message, { expected, found: state }));
}

function requireParent(path: string, tree: SimulatedTree): void {
  const parent = parentPath(path);
  if (parent === undefined) return;
  const { state } = tree.at(parent, -1);
  if (state.kind === 'directory') return;
  const [code, hint] =
    state.kind === 'absent'
      ? (['absent', 'create the folder first (mkdir)'] as const)
      : (['not_a_folder', 'it cannot hold entries'] as const);
  throw new Refused(
    refusal(code, `the folder ${parent} is ${describePathState(state)}; ${hint}`, { path, found: state }),
  );
}

async function change(
  operation: AuthorizedOperation,
  from: Present,
  tree: SimulatedTree,
  blobs: Blobs,
): Promise<PlannedChange> {
  const { request, canonical } = operation;
  switch (request.action) {
    case 'create':
      if (from.state.kind !== 'absent')
        throw new Refused(
          refusal('exists', `${describePathState(from.state)} is there already; write overwrites`, {
            found: from.state,
          }),
        );
      return whole(from, newFile(request.content_hash, request.size, request.mode ?? 0o644));
    case 'write':
      return write(request, from);
    case 'edit':
      return planEdit(request, from, blobs);
    case 'mkdir':
      if (from.state.kind === 'directory')
        return { ...whole(from, from.state), notes: ['the folder was there already'] };
      if (from.state.kind !== 'absent')
        throw new Refused(refusal('exists', `${describePathState(from.state)} is in the way`, { found: from.state }));
      return whole(from, { kind: 'directory', mode: request.mode ?? 0o755 });
    case 'delete':
      requireRemovable(canonical, from, tree);
      return whole(from, ABSENT);
  }
}

const whole = (from: Present, to: PathState): PlannedChange => ({ from, to, matches: null, notes: [] });
const newFile = (hash: BlobHash, size: number, mode: number): FileState => ({ kind: 'file', hash, size, mode });

function write(request: Extract<AuthorizedOperation['request'], { action: 'write' }>, from: Present): PlannedChange {
  const { state } = from;
  if (state.kind !== 'absent' && state.kind !== 'file')
    throw new Refused(
      refusal('not_a_file', `${describePathState(state)} is there; only a file is overwritten`, { found: state }),
    );
  const mode = request.mode ?? (state.kind === 'file' ? state.mode : 0o644);
  return whole(from, newFile(request.content_hash, request.size, mode));
}

function requireRemovable(path: string, { state }: Present, tree: SimulatedTree): void {
  if (state.kind === 'absent') throw new Refused(refusal('absent', 'there is nothing to delete', { found: state }));
  if (state.kind === 'other')
    throw new Refused(
      refusal('not_a_file', `a ${state.type} cannot be brought back, so it is not deleted`, { found: state }),
    );
  if (state.kind !== 'directory') return;
  const entries = tree.entries(path);
  if (entries.length === 0) return;
  const some = entries.slice(0, 5).join(', ');
  throw new Refused(
    refusal(
      'not_empty',
      `the folder holds ${entries.length} entries (${some}${entries.length > 5 ? ', …' : ''}); delete them first`,
      { found: state },
    ),
  );
}
