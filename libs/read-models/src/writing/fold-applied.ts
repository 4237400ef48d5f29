import type { OperationApplied, OperationId, StoredEvent, WorkspaceName } from '@retrace/contracts';
import { In } from 'typeorm';
import { FileEntity } from '../entities/file.entity.js';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { OperationEntity } from '../entities/operation.entity.js';
import { TouchedPathEntity } from '../entities/touched-path.entity.js';
import { VersionEntity } from '../entities/version.entity.js';
import { type Compensable, takeBack } from '../projections/compensation.projection.js';
import { applied } from '../projections/logical-operation.projection.js';
import { fileRows, operationRows, versionRows } from '../projections/operation.projection.js';
import { outcomeApplied } from '../projections/outcome.projection.js';
import { logicalOperationKey, outcomeOf } from './keys.js';
import type { Rows } from './rows.js';

/** Ids in one question: SQLite binds at most 32,766 values. */
const IDS = 1000;

export async function foldApplied(rows: Rows, event: StoredEvent<typeof OperationApplied>): Promise<void> {
  const operations = operationRows(event);
  await markTakenBack(rows, event.workspace, operations);
  await rows.add(OperationEntity, operations);
  await rows.put(VersionEntity, versionRows(event));
  await rows.put(FileEntity, fileRows(event));
  await rows.add(
    TouchedPathEntity,
    operations.map(({ workspace, path, logicalOperationId }) => ({ workspace, path, logicalOperationId })),
  );
  await rows.change(LogicalOperationEntity, logicalOperationKey(event), (row) => applied(row, event));
  await outcomeOf(rows, event, (row) => outcomeApplied(row, event));
}

async function markTakenBack(rows: Rows, workspace: WorkspaceName, operations: OperationEntity[]): Promise<void> {
  const earlier = await loadCompensated(rows, workspace, operations);
  for (const { operationId, undoneBy } of takeBack(earlier.values(), operations))
    await rows.set(OperationEntity, { workspace, operationId }, { undoneBy });
}

/** What the operations take back, what that took back in its time, and so on. */
async function loadCompensated(rows: Rows, workspace: WorkspaceName, from: readonly Compensable[]) {
  const found = new Map<OperationId, Compensable>();
  for (let level = from; level.length > 0;) {
    const wanted = [...new Set(level.flatMap((row) => row.compensates))].filter((id) => !found.has(id));
    level = await loadOperations(rows, workspace, wanted);
    for (const row of level) found.set(row.operationId, row);
  }
  return found;
}

async function loadOperations(rows: Rows, workspace: WorkspaceName, ids: OperationId[]): Promise<Compensable[]> {
  const found: Compensable[] = [];
  const columns = { logicalOperationId: true, sequence: true, place: true, compensates: true, undoneBy: true } as const;
  for (let at = 0; at < ids.length; at += IDS) {
    const operationId = In(ids.slice(at, at + IDS));
    found.push(...(await rows.find(OperationEntity, { workspace, operationId }, { operationId: true, ...columns })));
  }
  return found;
}
