import {
  BlobHashSchema,
  type BlobHash,
  describePathState,
  type EditScript,
  EditScriptSchema,
  type FileState,
} from '@retrace/contracts';
import { createHash } from 'node:crypto';
import { applyEdits, type EditResult } from '../domain/apply-edits.js';
import type { Blobs } from '../ports/blobs.port.js';
import type { NewContent } from './content-source.js';
import { Refused, refusal } from './refusal.js';
import type { Present, SimulatedTree } from './simulated-tree.js';

/** Files larger than this are not edited: an edit holds the whole file in memory. */
export const LARGEST_EDIT_BYTES = 64 * 1024 * 1024;
const LARGEST_SCRIPT_BYTES = 16 * 1024 * 1024;

interface Script {
  readonly content_hash: BlobHash;
  readonly size: number;
}

interface Edited {
  readonly to: FileState;
  readonly content: NewContent;
  readonly matches: number;
  readonly notes: readonly string[];
}

/** Runs the edits on what stands there. Throws {@link Refused}. */
export async function planEdit(script: Script, from: Present, tree: SimulatedTree, blobs: Blobs): Promise<Edited> {
  const state = fileToEdit(from);
  const content = tree.read(from) ?? (await blobs.get(state.hash, state.size));
  const result = applyEdits(asBuffer(content), await fetchEdits(script, blobs), LARGEST_EDIT_BYTES);
  if (result.outcome !== 'edited') throw new Refused(editRefusal(result, state));
  const to: FileState = { ...state, hash: hashOf(result.content), size: result.content.length };
  return { to, content: { kind: 'bytes', bytes: result.content }, matches: result.matches, notes: [] };
}

function fileToEdit({ state }: Present): FileState {
  if (state.kind === 'absent')
    throw new Refused(refusal('absent', 'there is nothing to edit; create or write it', { found: state }));
  if (state.kind !== 'file')
    throw new Refused(
      refusal('not_a_file', `${describePathState(state)} is there; only a file is edited`, { found: state }),
    );
  if (state.size > LARGEST_EDIT_BYTES)
    throw new Refused(
      refusal('blob_too_large', `${state.size} bytes; files over ${LARGEST_EDIT_BYTES} are written, not edited`),
    );
  return state;
}

async function fetchEdits({ content_hash, size }: Script, blobs: Blobs): Promise<EditScript['edits']> {
  if (size > LARGEST_SCRIPT_BYTES)
    throw new Refused(refusal('edit_blob_invalid', `edits of ${size} bytes; send at most ${LARGEST_SCRIPT_BYTES}`));
  const bytes = await blobs.get(content_hash, size);
  if (hashOf(bytes) !== content_hash)
    throw new Refused(refusal('blob_mismatch', `the edits are not the ${size} bytes that were announced`));
  return parseScript(bytes);
}

function parseScript(bytes: Uint8Array): EditScript['edits'] {
  try {
    return EditScriptSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).edits;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refused(refusal('edit_blob_invalid', `the edits are not of their schema: ${why}`));
  }
}

function editRefusal(result: Exclude<EditResult, { outcome: 'edited' }>, found: FileState) {
  const { outcome, edit, text } = result;
  const which = `edit ${edit + 1}: ${JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)}`;
  switch (outcome) {
    case 'no_match':
      return refusal('edit_no_match', `${which} is not in the file; read it again`, { found });
    case 'ambiguous':
      return refusal('edit_ambiguous', `${which} is there ${result.found} times; add context, or set all`, { found });
    case 'too_large':
      return refusal('blob_too_large', `${which} makes the file too large to edit; write it instead`, { found });
  }
}

export const hashOf = (content: Uint8Array): BlobHash =>
  BlobHashSchema.parse(createHash('sha256').update(content).digest('hex'));

const asBuffer = (content: Uint8Array): Buffer => Buffer.from(content.buffer, content.byteOffset, content.byteLength);
