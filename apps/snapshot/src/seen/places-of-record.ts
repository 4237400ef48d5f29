import type { BlobHash, OperationRecord, PathState, RecordedAction, WorkspaceName } from '@retrace/contracts';
import { extended, type Place, type Sources, sourcesAt } from './place.js';

/** Answers what is known so far of where a content stood. */
export type KnownPlaces = (hash: BlobHash) => readonly Place[];

export interface Sighting {
  readonly hash: BlobHash;
  readonly place: Place;
}

type Recorded = Pick<
  OperationRecord,
  'action' | 'path' | 'moved_from' | 'copied_from' | 'state_snapshot_before' | 'state_snapshot_after'
>;

/** What these leave holds something of what they found: it came the way that the content before it came. */
const DERIVES: ReadonlySet<RecordedAction> = new Set(['edit', 'append', 'chmod', 'restore']);

/** Which contents an operation found and left at its path, and by which paths they came to it. */
export function sightingsOf(record: Recorded, workspace: WorkspaceName, known: KnownPlaces): Sighting[] {
  const { canonical: path } = record.path;
  const [before, after] = [record.state_snapshot_before, record.state_snapshot_after].map(({ state }) => hashOf(state));
  const found: Sources = before === undefined ? [] : sourcesAt(known(before), { workspace, path });
  const sighting = (hash: BlobHash | undefined, sources: Sources): Sighting[] =>
    hash === undefined ? [] : [{ hash, place: { workspace, path, sources } }];
  return [
    ...sighting(before, found),
    ...sighting(after, after === undefined ? [] : sourcesOfLeft(record, after, { workspace, known, found })),
  ];
}

interface Around {
  readonly workspace: WorkspaceName;
  readonly known: KnownPlaces;
  /** Of the content that stood there before. */
  readonly found: Sources;
}

function sourcesOfLeft(record: Recorded, hash: BlobHash, { workspace, known, found }: Around): Sources {
  const from = record.moved_from ?? record.copied_from;
  if (from !== null) return extended(sourcesAt(known(hash), { workspace, path: from }), from);
  return DERIVES.has(record.action) ? found : [];
}

const hashOf = (state: PathState): BlobHash | undefined => (state.kind === 'file' ? state.hash : undefined);
