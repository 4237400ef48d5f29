import type { OperationApplied, OperationRecord, StoredEvent } from '@retrace/contracts';
import type { FileEntity } from '../entities/file.entity.js';
import type { OperationEntity } from '../entities/operation.entity.js';
import type { VersionEntity } from '../entities/version.entity.js';
import type { RowOf } from '../entities/row-of.js';

type Applied = StoredEvent<typeof OperationApplied>;

/** One row per operation of the event, each live as yet. */
export function operationRows({ workspace, agent, sequence, time, data }: Applied): RowOf<OperationEntity>[] {
  return data.operations.map((record, place) => ({
    workspace,
    operationId: record.operation_id,
    logicalOperationId: data.logical_operation_id,
    agent,
    sessionId: data.session_id,
    kind: data.kind,
    action: record.action,
    path: record.path.canonical,
    sequence,
    time,
    part: data.part,
    place,
    record,
    compensates: record.compensates,
    undoneBy: [],
  }));
}

/** The states that the event left, in the order of its operations. */
export function versionRows({ workspace, agent, sequence, data }: Applied): RowOf<VersionEntity>[] {
  return data.operations.map((record, place) => ({
    workspace,
    path: record.path.canonical,
    sequence,
    place,
    state: record.state_snapshot_after.state,
    operationId: record.operation_id,
    agent,
  }));
}

/** The newest of them per path. */
export function fileRows(event: Applied): RowOf<FileEntity>[] {
  const newest = new Map<string, RowOf<FileEntity>>();
  for (const { workspace, path, state, sequence, operationId, agent } of versionRows(event))
    newest.set(path, { workspace, path, state, sequence, operationId, agent });
  return [...newest.values()];
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
