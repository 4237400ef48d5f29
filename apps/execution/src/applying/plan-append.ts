import { describePathState, type FileState, type OperationRequest } from '@retrace/contracts';
import type { Blobs } from '../ports/blobs.port.js';
import type { Workspace } from '../workspaces/workspace.js';
import { startsWithMark } from './byte-order-mark.js';
import { hashAppended, type NewContent } from './content-source.js';
import { hashOf } from './plan-edit.js';
import { Refused, refusal } from './refusal.js';
import { INLINE_BYTES, type Present } from './simulated-tree.js';

/** A file is copied and hashed whole for each append: beyond this, a new file is the better way. */
export const LARGEST_APPENDED_BYTES = 2 * 1024 * 1024 * 1024;

const MARK_INSIDE = 'what was added begins with a byte-order mark, which now stands in the middle of the file';

type AppendRequest = Extract<OperationRequest, { action: 'append' }>;

interface Appended {
  readonly to: FileState;
  /** Absent: the file is the blob. */
  readonly content?: NewContent;
  readonly notes: readonly string[];
}

/** What `append` leaves: the bytes that stand there, then those of the blob. Throws {@link Refused}. */
export async function planAppend(
  { content_hash: hash, size, mode }: AppendRequest,
  from: Present,
  workspace: Workspace,
  blobs: Blobs,
): Promise<Appended> {
  const { state } = from;
  if (state.kind === 'absent') return { to: { kind: 'file', hash, size, mode: mode ?? 0o644 }, notes: [] };
  if (state.kind !== 'file')
    throw new Refused(
      refusal('not_a_file', `${describePathState(state)} is there; only a file is appended to`, { found: state }),
    );
  if (state.size + size > LARGEST_APPENDED_BYTES)
    throw new Refused(
      refusal(
        'blob_too_large',
        `the file would have ${state.size + size} bytes; files grow by append to at most ${LARGEST_APPENDED_BYTES}: begin another file`,
        { found: state },
      ),
    );
  if (from.content && from.content.length + size <= INLINE_BYTES)
    return inMemory(from.content, state, hash, size, blobs);
  const blob = { hash, size };
  const whole = await hashAppended(workspace, from, blob, blobs);
  return { to: { ...state, ...whole }, content: { kind: 'appended', to: from, blob }, notes: [] };
}

async function inMemory(
  before: Uint8Array,
  state: FileState,
  hash: FileState['hash'],
  size: number,
  blobs: Blobs,
): Promise<Appended> {
  const added = await blobs.get(hash, size);
  if (hashOf(added) !== hash)
    throw new Refused(refusal('blob_mismatch', `the content is not the ${size} bytes that were announced`));
  const bytes = Buffer.concat([before, added]);
  const notes = before.length > 0 && startsWithMark(added) ? [MARK_INSIDE] : [];
  return { to: { ...state, hash: hashOf(bytes), size: bytes.length }, content: { kind: 'bytes', bytes }, notes };
}
