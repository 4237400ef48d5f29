import type { BlobHash, OperationApplied, OperationRecord, RecordedAction, StoredEvent } from '@retrace/contracts';

type Move = Partial<Record<'moved_from' | 'moved_to' | 'copied_from', string>>;

/** One operation as the log records it, as far as this service looks at it; no hash: nothing stood there. */
export const recordOf = (
  action: RecordedAction,
  path: string,
  [before, after]: readonly [BlobHash | undefined, BlobHash | undefined],
  move: Move = {},
): OperationRecord =>
  ({
    action,
    path: { typed: path, canonical: path },
    moved_from: null,
    moved_to: null,
    copied_from: null,
    ...move,
    state_snapshot_before: snapshotOf(before),
    state_snapshot_after: snapshotOf(after),
  }) as unknown as OperationRecord;

/** Both records of a move. */
export const moveOf = (from: string, to: string, hash: BlobHash, replaced?: BlobHash): OperationRecord[] => [
  recordOf('move', from, [hash, undefined], { moved_to: to }),
  recordOf('move', to, [replaced, hash], { moved_from: from }),
];

export const appliedBy = (agent: string, operations: readonly OperationRecord[], workspace = 'docs') =>
  ({ agent, workspace, data: { operations } }) as unknown as StoredEvent<typeof OperationApplied>;

const snapshotOf = (hash: BlobHash | undefined) => ({
  state: hash === undefined ? { kind: 'absent' } : { kind: 'file', hash, size: 1, mode: 0o644 },
  sequence: null,
});
