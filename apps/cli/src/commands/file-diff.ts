import type { Retrace } from '@retrace/client';
import type { PathState } from '@retrace/contracts';
import { createTwoFilesPatch } from 'diff';
import type { FileChange } from './file-change.js';

/** A change with its text. */
export interface FileDiff extends FileChange {
  /** Unified; empty where the bytes are equal, or are no text. */
  readonly diff: string;
  readonly binary: boolean;
  /** Why there is no diff although the bytes differ; `null`: there is one. */
  readonly left_out: string | null;
}

/** Bytes of a side from which on nobody reads a diff. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A diff of texts that have little in common takes time that grows with the square of their lines. */
const TIMEOUT_MS = 2_000;

const EMPTY = new Uint8Array();

/** Content as it stands where a state does not name a stored blob. */
export type ReadContent = (state: PathState, path: string) => Promise<Uint8Array>;

export const readStored =
  (retrace: Retrace): ReadContent =>
  async (state) =>
    state.kind === 'file' ? retrace.readBlob(state.hash) : EMPTY;

/** Compares both sides of a change; a moved or copied file is compared with what it was elsewhere. */
export async function diffOf(change: FileChange, read: ReadContent, timeout = TIMEOUT_MS): Promise<FileDiff> {
  const { before, after, path } = change;
  const nothing = { ...change, diff: '', binary: false, left_out: null };
  if (sameContent(before, after) || change.moved_to !== null) return nothing;
  if (sizeOf(before) > MAX_BYTES || sizeOf(after) > MAX_BYTES)
    return { ...nothing, left_out: `over ${MAX_BYTES / 1024 / 1024} MiB` };
  const [old, next] = await Promise.all([contentOf(before, path, read), contentOf(after, path, read)]);
  if (typeof old !== 'string' || typeof next !== 'string') return { ...nothing, binary: true };
  const names = [before.kind === 'file' ? `a/${path}` : '/dev/null', after.kind === 'file' ? `b/${path}` : '/dev/null'];
  const diff = createTwoFilesPatch(names[0]!, names[1]!, old, next, undefined, undefined, {
    context: 3,
    timeout,
  });
  if (diff === undefined) return { ...nothing, left_out: 'the two have too little in common' };
  return { ...nothing, diff: diff.replace(/^=+\n/, '') };
}

const sizeOf = (state: PathState): number => (state.kind === 'file' ? state.size : 0);

function sameContent(before: PathState, after: PathState): boolean {
  if (before.kind === 'file' && after.kind === 'file') return before.hash === after.hash;
  return before.kind !== 'file' && after.kind !== 'file';
}

/** The text, or `undefined` where it is none. */
async function contentOf(state: PathState, path: string, read: ReadContent): Promise<string | undefined> {
  return textOf(await read(state, path));
}

export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
