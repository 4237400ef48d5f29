import type { PathState } from '@retrace/contracts';
import { isFsError, stage } from '@retrace/workspace-fs';
import type { Blobs } from '../ports/blobs.port.js';
import type { Workspace } from '../workspaces/workspace.js';
import { MARK_BYTES, MARK_REMOVED, startsWithMark } from './byte-order-mark.js';
import { firstBytes, fromMemory, fromPath, fromStore, type Source } from './content-source.js';
import { preImageName, sameContent } from './journal-step.js';
import type { PlannedStep } from './plan-step.js';
import { Refused, refusal } from './refusal.js';
import { INLINE_BYTES } from './simulated-tree.js';

export type StageDurability = 'process' | 'power';

/** Puts a step's new object under its name in staging, whole and with its mode. Answers what the caller should know. */
export async function stageStep(
  workspace: Workspace,
  planned: PlannedStep,
  blobs: Blobs,
  durability: StageDurability,
): Promise<string[]> {
  const { step, from, to, content } = planned;
  const options = { durability, ...(from.like && { like: from.like }) };
  if (to.kind !== 'file' || sameContent(from.state, to)) {
    stage(workspace.root, step, () => [], options);
    return [];
  }
  if (step.inPlace) await copyPreImage(workspace, planned, blobs, durability);
  if (content && content.length > INLINE_BYTES) await blobs.put(to.hash, content);
  const source = content ? fromMemory(content) : await fromStore(workspace, `${step.stageName}-spool`, to, blobs);
  try {
    // What is written in place lies in staging, too: a crash in the middle is finished from there.
    stage(workspace.root, step.inPlace ? { ...step, from: { kind: 'absent' } } : step, source.read, options);
    return markNotes(workspace, planned, source);
  } finally {
    source.close();
  }
}

/** Before a file is written in place its bytes are copied: a crash in the middle is repaired from the copy. */
async function copyPreImage(
  workspace: Workspace,
  planned: PlannedStep,
  blobs: Blobs,
  durability: StageDurability,
): Promise<void> {
  const { step, path } = planned;
  const source = await preImage(workspace, planned, blobs);
  try {
    const copy = { path, from: { kind: 'absent' } as PathState, to: step.from, stageName: preImageName(step) };
    stage(workspace.root, copy, source.read, { durability });
  } catch (error) {
    if (planned.stat === undefined || !isFsError(error, 'content_mismatch')) throw error;
    throw new Refused(refusal('changed_outside', `${path} changed while it was copied; nothing was overwritten`));
  } finally {
    source.close();
  }
}

async function preImage(workspace: Workspace, { step, from, path }: PlannedStep, blobs: Blobs): Promise<Source> {
  if (from.content) return fromMemory(from.content);
  if (from.stat || from.state.kind !== 'file') return fromPath(workspace, path);
  return fromStore(workspace, `${step.stageName}-spool`, from.state, blobs);
}

/** A change that takes the byte-order mark away says so. */
function markNotes(workspace: Workspace, { from, path }: PlannedStep, source: Source): string[] {
  if (from.state.kind !== 'file' || startsWithMark(headOf(source))) return [];
  const before = from.content ?? (from.planned ? new Uint8Array() : firstBytes(workspace, path, MARK_BYTES));
  return startsWithMark(before) ? [MARK_REMOVED] : [];
}

function headOf(source: Source): Uint8Array {
  for (const chunk of source.read()) return chunk.slice(0, MARK_BYTES);
  return new Uint8Array();
}
