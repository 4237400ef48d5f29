import type { BlobHash, FileState, PathState } from '@retrace/contracts';

/** Three contents of which somebody has to make one. */
export interface MergeRequest {
  readonly key: string;
  readonly base: FileState;
  readonly ours: FileState;
  readonly theirs: FileState;
  /** Where `ours` stands on the disk, where it does. */
  readonly oursAt: string | undefined;
}

/** What came of a merge request; `reason` says why nothing did. */
export type MergeOutcome =
  | { readonly ok: true; readonly hash: BlobHash; readonly size: number }
  | { readonly ok: false; readonly reason: string };

/** By the key of the request. */
export type Merges = ReadonlyMap<string, MergeOutcome>;

export type StateMerge =
  | { readonly status: 'merged'; readonly state: FileState }
  | { readonly status: 'needed'; readonly request: MergeRequest }
  | { readonly status: 'conflict'; readonly reason: string };

const conflict = (reason: string): StateMerge => ({ status: 'conflict', reason });

/** Three-way merge of files: content and mode each for itself. Contents that differ three ways are asked for. */
export function mergeStates(
  { base, ours, theirs }: { readonly base: PathState; readonly ours: PathState; readonly theirs: PathState },
  oursAt: string | undefined,
  merges: Merges,
): StateMerge {
  if (base.kind !== 'file' || ours.kind !== 'file' || theirs.kind !== 'file')
    return conflict('only the content of files can be merged');
  const mode = oneOf(base.mode, ours.mode, theirs.mode);
  if (mode === undefined) return conflict('the mode was changed in both');
  const content = mergedContent(base, ours, theirs);
  if (content) return { status: 'merged', state: { ...content, mode } };
  const key = `${base.hash} ${ours.hash} ${theirs.hash}`;
  const outcome = merges.get(key);
  if (!outcome) return { status: 'needed', request: { key, base, ours, theirs, oursAt } };
  if (!outcome.ok) return conflict(outcome.reason);
  return { status: 'merged', state: { kind: 'file', hash: outcome.hash, size: outcome.size, mode } };
}

function oneOf<Value>(base: Value, ours: Value, theirs: Value): Value | undefined {
  if (ours === base || ours === theirs) return theirs;
  return theirs === base ? ours : undefined;
}

function mergedContent(base: FileState, ours: FileState, theirs: FileState): FileState | undefined {
  const hash = oneOf(base.hash, ours.hash, theirs.hash);
  return hash === undefined ? undefined : hash === ours.hash ? ours : theirs;
}
