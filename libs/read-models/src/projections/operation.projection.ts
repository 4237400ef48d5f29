import type { OperationApplied, OperationRecord, StoredEvent } from '@retrace/contracts';
import type { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import type { OperationEntity } from '../entities/operation.entity.js';
import type { RowOf } from '../entities/row-of.js';
import { pathKey } from '../path-key.js';

type Applied = StoredEvent<typeof OperationApplied>;
/** What earlier parts of the logical operation hold already. */
type Before = Pick<LogicalOperationEntity, 'operationCount' | 'pathCount'> | undefined;

/** One row per record of the event, each live as yet. */
export function operationRows(
  { workspace, agent, sequence, time, data }: Applied,
  before: Before,
): RowOf<OperationEntity>[] {
  const parts = countParts(data.operations);
  let asked = before?.operationCount ?? 0;
  return data.operations.map((record, place) => {
    const paths = record.part_of === null ? 1 + (parts.get(record.operation_id) ?? 0) : 0;
    return {
      operationId: record.operation_id,
      workspace,
      repeated: 0,
      logicalOperationId: data.logical_operation_id,
      agent,
      sessionId: data.session_id,
      kind: data.kind,
      action: record.action,
      path: record.path.canonical,
      pathKey: pathKey(record.path.canonical),
      sequence,
      time,
      ordinal: (before?.pathCount ?? 0) + place,
      asked: record.part_of === null ? asked++ : null,
      partOf: record.part_of,
      paths,
      livePaths: paths,
      movedFrom: record.moved_from,
      copiedFrom: record.copied_from,
      record,
      compensates: record.compensates,
      undoneBy: [],
    };
  });
}

function countParts(records: readonly OperationRecord[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { part_of } of records) if (part_of !== null) counts.set(part_of, (counts.get(part_of) ?? 0) + 1);
  return counts;
}

/** The record as it is shown: `self` stands for the event that holds it, whose sequence nobody knew when it was written. */
export function withSequence(record: OperationRecord, sequence: number): OperationRecord {
  const filled = ({ state, sequence: at }: OperationRecord['state_snapshot_after']) => ({
    state,
    sequence: at === 'self' ? sequence : at,
  });
  return {
    ...record,
    state_snapshot_before: filled(record.state_snapshot_before),
    state_snapshot_after: filled(record.state_snapshot_after),
  };
}
