import { closeSync, createWriteStream, openSync, readSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileState, PathState } from '@retrace/contracts';
import { captureState, dropStaged, openStaged, stage } from '@retrace/workspace-fs';
import type { JournalStep } from '../journal/journal-record.js';
import type { Blobs } from '../ports/blobs.port.js';
import type { Workspace } from '../workspaces/workspace.js';
import { MARK_REMOVED, type PlannedStep, preImageName, startsWithMark } from './plan-work.js';
import { refusalOf, Refused } from './refusal.js';
import { INLINE_BYTES } from './simulated-tree.js';

/** Content up to this size is held in memory on its way into staging. */
const IN_MEMORY_BYTES = 8 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

export type StageDurability = 'process' | 'power';

/**
 * Puts every new object under its name in staging, complete and with its mode; the workspace is not touched. Answers
 * the notes per step. Throws {@link Refused} where the disk says no; what was staged is then gone again.
 */
export async function stageWork(
  workspace: Workspace,
  planned: readonly PlannedStep[],
  blobs: Blobs,
  durability: StageDurability,
): Promise<void> {
  for (const [i, one] of planned.entries()) {
    try {
      await stageStep(workspace, one, blobs, durability);
    } catch (error) {
      dropAll(
        workspace,
        planned.map(({ step }) => step),
      );
      throw new Refused(refusalOf(error, i, one.path));
    }
  }
}

async function stageStep(
  workspace: Workspace,
  { step, from, to, content, stat, notes }: PlannedStep,
  blobs: Blobs,
  durability: StageDurability,
): Promise<void> {
  if (step.inPlace) copyPreImage(workspace, step, durability);
  if (to.kind === 'file' && content && content.length > INLINE_BYTES) await blobs.put(to.hash, content);
  const options = { durability, ...(stat && { like: stat }) };
  if (to.kind !== 'file') return stage(workspace.root, step, () => [], options);
  const source = content ? memory(content) : await fetchContent(workspace, step, to, blobs);
  try {
    noteMark(source.first(), from.content, notes as string[]);
    // What is written in place lies in staging, too: a crash in the middle is finished from there.
    stage(workspace.root, step.inPlace ? { ...step, from: { kind: 'absent' } } : step, source.read, options);
  } finally {
    source.close();
  }
}

interface Source {
  readonly read: () => Iterable<Uint8Array>;
  readonly first: () => Uint8Array;
  readonly close: () => void;
}

const memory = (content: Uint8Array): Source => ({
  read: () => [content],
  first: () => content,
  close: () => undefined,
});

/** Large content goes through a spool file, so that memory stays bounded. */
async function fetchContent(workspace: Workspace, step: JournalStep, to: FileState, blobs: Blobs): Promise<Source> {
  if (to.size <= IN_MEMORY_BYTES) return memory(await blobs.get(to.hash, to.size));
  const file = `${stagingPath(workspace)}/${step.stageName}-spool`;
  await pipeline(Readable.from(blobs.stream(to.hash, to.size)), createWriteStream(file, { mode: 0o600 }));
  return { read: () => chunksOf(file), first: () => firstOf(file), close: () => rmSync(file, { force: true }) };
}

function* chunksOf(file: string): Iterable<Uint8Array> {
  const fd = openSync(file, 'r');
  try {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) yield chunk.subarray(0, read);
  } finally {
    closeSync(fd);
  }
}

const firstOf = (file: string): Uint8Array => {
  for (const chunk of chunksOf(file)) return chunk;
  return new Uint8Array();
};

/** Before a file is written in place its bytes are copied: a crash in the middle is repaired from the copy. */
function copyPreImage({ root, cache }: Workspace, step: JournalStep, durability: StageDurability): void {
  const { content } = captureState(root.rootFd, step.path, { cache, readContentUpTo: Number.MAX_SAFE_INTEGER });
  const copy = { path: step.path, from: { kind: 'absent' } as PathState, to: step.from, stageName: preImageName(step) };
  stage(root, copy, () => content ?? [], { durability });
}

const noteMark = (after: Uint8Array, before: Uint8Array | undefined, notes: string[]): void => {
  if (startsWithMark(before) && !startsWithMark(after) && !notes.includes(MARK_REMOVED)) notes.push(MARK_REMOVED);
};

/** Where the blob store, on the same host, finds what lies in staging. */
export const stagingPath = ({ root }: Workspace): string => `${root.path}/.retrace/staging`;

export function dropAll({ root }: Workspace, steps: readonly JournalStep[]): void {
  for (const step of steps) {
    dropStaged(root, step.stageName);
    if (step.inPlace) dropStaged(root, preImageName(step));
  }
}

/** Reads a staged file whole: content of at most the inline size. */
export function readStaged({ root }: Workspace, stageName: string): Iterable<Uint8Array> {
  const fd = openStaged(root, stageName);
  closeSync(fd);
  return chunksOf(`${root.path}/.retrace/staging/${stageName}`);
}
