import type {
  BlobHash,
  EventEnvelope,
  IntentStale,
  OperationApplied,
  OperationFailed,
  OperationId,
  OperationRecord,
  PathState,
  WorkspaceName,
} from '@retrace/contracts';
import type { Authority } from '../domain/authority.js';

export type Outcome =
  EventEnvelope<typeof OperationApplied> | EventEnvelope<typeof OperationFailed> | EventEnvelope<typeof IntentStale>;

/** One path's change, as planned: enough to finish it, undo it, or tell that somebody else interfered. */
export interface JournalStep {
  readonly operationId: OperationId;
  readonly path: string;
  readonly from: PathState;
  readonly to: PathState;
  readonly stageName: string;
  /** The same inode gets the new bytes: it has other names, or the caller asked for it. */
  readonly inPlace: boolean;
  /** Place of the operation that it belongs to, from 0. */
  readonly at: number;
  /** The content that it leaves is stored, or kept by a record: an event names it. */
  readonly stored?: boolean | undefined;
  /** One half of a move: the object goes `out` of one path into staging and from there `in` to another, under one name. */
  readonly moved?: 'out' | 'in' | undefined;
}

/** Content that the record holds until the blob store does. */
export type KeptContent =
  | { readonly kind: 'inline'; readonly hash: BlobHash; readonly bytes: Uint8Array }
  /** A pre-image that lies in staging under this name. */
  | { readonly kind: 'staged'; readonly hash: BlobHash; readonly size: number; readonly stageName: string };

interface Common {
  readonly workspace: WorkspaceName;
  /** The authorizing event's place: the key of the record. */
  readonly sequence: number;
  readonly eventId: string;
}

/** Committed before the first path is touched. */
export interface PreparedRecord extends Common {
  readonly phase: 'prepared';
  /** Without its work: the steps and records say all of it. */
  readonly authority: Authority;
  readonly steps: readonly JournalStep[];
  readonly records: readonly OperationRecord[];
  readonly kept: readonly KeptContent[];
}

/** All is on the disk, or none: the outcome waits to be published and its content to be stored. */
export interface DoneRecord extends Common {
  readonly phase: 'done';
  readonly outcome: Outcome;
  readonly kept: readonly KeptContent[];
  /** Names in staging that nobody needs once `kept` is stored. */
  readonly staged: readonly string[];
  /** Paths whose `recorded` row waits for the outcome's sequence. */
  readonly paths: readonly string[];
}

export type JournalRecord = PreparedRecord | DoneRecord;
