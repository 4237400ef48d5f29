import type { Retrace } from '@retrace/client';
import { ABSENT, type PathState, RetraceError } from '@retrace/contracts';
import { diffOf, type FileDiff, type ReadContent, readStored } from './file-diff.js';
import type { Reference } from './references.js';

/** A path at one time. */
interface Side {
  readonly state: PathState;
  readonly label: string;
  readonly read: ReadContent;
}

/** Compares a path with itself: as it was recorded, as it stands. */
export async function diffPath(
  retrace: Retrace,
  typed: string,
  { from, to }: { from: Reference | undefined; to: Reference | undefined },
): Promise<{ file: FileDiff; title: string }> {
  const stat = await retrace.stat(typed);
  const now = (): Side => ({ state: stat.state, label: 'now', read: asItStands(retrace, typed) });
  const path = stat.canonical;
  const before = from ? await versionAt(retrace, path, from) : recordedSide(retrace, path, stat.recorded);
  const after = to ? await versionAt(retrace, path, to) : now();
  const change = {
    path,
    before: before.state,
    after: after.state,
    moved_from: null,
    moved_to: null,
    copied_from: null,
  };
  if (stat.recorded === null && [before, after].every(({ state }) => state.kind === 'absent'))
    throw new RetraceError('not_found', `nothing stands at ${path}, and nobody recorded anything there`);
  const file = await diffOf(change, (state, name) => (state === before.state ? before : after).read(state, name));
  return { file, title: `${path}: ${before.label} → ${after.label}` };
}

/** What was recorded last; where nobody recorded anything, nothing. */
function recordedSide(retrace: Retrace, path: string, recorded: { state: PathState; sequence: number } | null): Side {
  if (recorded === null) return { state: ABSENT, label: 'nothing recorded', read: readStored(retrace) };
  return { state: recorded.state, label: `as recorded at ${recorded.sequence}`, read: readStored(retrace) };
}

async function versionAt(retrace: Retrace, path: string, reference: Reference): Promise<Side> {
  const { state, sequence } = await retrace.version({ path, ...(await whenOf(retrace, reference)) });
  return { state, label: `as recorded at ${sequence}`, read: readStored(retrace) };
}

async function whenOf(retrace: Retrace, reference: Reference) {
  switch (reference.by) {
    case 'operation':
      return { operation_id: reference.id };
    case 'sequence':
      return { at_sequence: reference.sequence };
    case 'logical_operation':
      return { at_sequence: (await retrace.entry(reference.id)).entry.sequence };
    case 'session':
      throw new RetraceError('bad_request', 'a session is no one moment: name an operation or a number of the log');
  }
}

const asItStands =
  (retrace: Retrace, path: string): ReadContent =>
  async (state) =>
    state.kind === 'file' ? (await retrace.read(path)).bytes : new Uint8Array();
