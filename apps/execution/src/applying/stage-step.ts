import type { FileState, PathState } from '@retrace/contracts';
import { isFsError, stage } from '@retrace/workspace-fs';
import type { KeptContent } from '../journal/journal-record.js';
import type { Blobs } from '../ports/blobs.port.js';
import { stagingPath, type Workspace } from '../workspaces/workspace.js';
import { MARK_BYTES, MARK_REMOVED, startsWithMark } from './byte-order-mark.js';
import { firstBytes, fromPresent, type NewContent, type Source, sourceOf } from './content-source.js';
import type { JournalRoom } from './journal-room.js';
import { preImageName, sameContent } from './journal-step.js';
import type { PlannedStep } from './plan-step.js';
import { Refused, refusal } from './refusal.js';

export type StageDurability = 'process' | 'power';

export interface Staged {
  /** What the caller should know. */
  readonly notes: readonly string[];
  /** New content that the record holds for the blob store. */
  readonly kept: readonly KeptContent[];
}

const NOTHING: Staged = { notes: [], kept: [] };

/** Puts a step's new object under its name in staging, whole and with its mode. What was made here is stored, or kept. */
export async function stageStep(
  workspace: Workspace,
  planned: PlannedStep,
  blobs: Blobs,
  durability: StageDurability,
  room: JournalRoom,
): Promise<Staged> {
  const { step, from, to } = planned;
  const options = { durability, ...(from.like && { like: from.like }) };
  // The other half of the move puts the object there.
  if (step.moved === 'in') return NOTHING;
  if (to.kind !== 'file' || sameContent(from.state, to)) {
    stage(workspace.root, step, () => [], options);
    return NOTHING;
  }
  if (step.inPlace) await copyPreImage(workspace, planned, blobs, durability);
  const source = await sourceOf(workspace, `${step.stageName}-spool`, planned.content, to, blobs);
  try {
    // What is written in place lies in staging, too: a crash in the middle is finished from there.
    stage(workspace.root, step.inPlace ? { ...step, from: { kind: 'absent' } } : step, source.read, options);
    const kept = await keepNew(workspace, planned, to, blobs, room);
    return { notes: markNotes(workspace, planned, source), kept };
  } catch (error) {
    throw movedMeanwhile(error, planned);
  } finally {
    source.close();
  }
}

/** A file that is copied or appended to is read again when it is staged. */
function movedMeanwhile(error: unknown, { content, path, record }: PlannedStep): unknown {
  const read = content?.kind === 'copied' || content?.kind === 'appended';
  if (!read || !isFsError(error, 'content_mismatch', 'absent')) return error;
  const what = record?.copiedFrom ?? path;
  return new Refused(
    refusal('changed_outside', `${what} changed while it was read; nothing was touched`, { path: what }),
  );
}

/** Nobody uploaded what was made here: the journal holds it, or the blob store has it before anything rests on it. */
async function keepNew(
  { root, ...rest }: Workspace,
  { content, step }: PlannedStep,
  { hash, size }: FileState,
  blobs: Blobs,
  room: JournalRoom,
): Promise<KeptContent[]> {
  const bytes = bytesOf(content);
  if (bytes && room.takes(bytes.length)) return [{ kind: 'inline', hash, bytes }];
  if (bytes) await blobs.put(hash, bytes);
  else if (liesHere(content)) await blobs.adopt(hash, size, `${stagingPath({ root, ...rest })}/${step.stageName}`);
  return [];
}

function bytesOf(content: NewContent | undefined): Uint8Array | undefined {
  if (content?.kind === 'bytes') return content.bytes;
  return content?.kind === 'copied' ? content.of.content : undefined;
}

/** A copy of what the same logical operation made is a blob already. */
const liesHere = (content: NewContent | undefined): boolean =>
  content?.kind === 'appended' || (content?.kind === 'copied' && content.of.heldAt !== undefined);

/** Before a file is written in place its bytes are copied: a crash in the middle is repaired from the copy. */
async function copyPreImage(
  workspace: Workspace,
  { step, from, path }: PlannedStep,
  blobs: Blobs,
  durability: StageDurability,
): Promise<void> {
  const source = await fromPresent(workspace, `${step.stageName}-spool`, from, blobs);
  try {
    const copy = { path, from: { kind: 'absent' } as PathState, to: step.from, stageName: preImageName(step) };
    stage(workspace.root, copy, source.read, { durability });
  } catch (error) {
    if (from.heldAt === undefined || !isFsError(error, 'content_mismatch')) throw error;
    throw new Refused(refusal('changed_outside', `${path} changed while it was copied; nothing was overwritten`));
  } finally {
    source.close();
  }
}

/** A change that takes the byte-order mark away says so. */
function markNotes(workspace: Workspace, { from }: PlannedStep, source: Source): string[] {
  if (from.state.kind !== 'file' || startsWithMark(headOf(source))) return [];
  const before = from.content ?? (from.heldAt === undefined ? [] : firstBytes(workspace, from.heldAt, MARK_BYTES));
  return startsWithMark(Uint8Array.from(before.slice(0, MARK_BYTES))) ? [MARK_REMOVED] : [];
}

function headOf(source: Source): Uint8Array {
  for (const chunk of source.read()) return chunk.slice(0, MARK_BYTES);
  return new Uint8Array();
}
