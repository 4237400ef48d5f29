import type { OperationRecord, PathState } from '@retrace/contracts';

/** One path between two states. */
export interface FileChange {
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
  readonly moved_from: string | null;
  readonly moved_to: string | null;
  readonly copied_from: string | null;
}

/** What operations did to each path from the first to the last, in the order in which they touched them. */
export function changesOf(records: readonly OperationRecord[]): FileChange[] {
  const byPath = new Map<string, FileChange>();
  for (const record of records) {
    const path = record.path.canonical;
    const before = byPath.get(path);
    byPath.set(path, {
      path,
      before: before?.before ?? record.state_snapshot_before.state,
      after: record.state_snapshot_after.state,
      moved_from: record.moved_from ?? before?.moved_from ?? null,
      moved_to: record.moved_to,
      copied_from: record.copied_from ?? before?.copied_from ?? null,
    });
  }
  return [...byPath.values()];
}
