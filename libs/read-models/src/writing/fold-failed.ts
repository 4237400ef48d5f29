import type { OperationFailed, StoredEvent } from '@retrace/contracts';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { TouchedPathEntity } from '../entities/touched-path.entity.js';
import { failed, failedPaths } from '../projections/logical-operation.projection.js';
import { outcomeFailed } from '../projections/outcome.projection.js';
import { logicalOperationKey, outcomeOf } from './keys.js';
import type { Rows } from './rows.js';

export async function foldFailed(rows: Rows, event: StoredEvent<typeof OperationFailed>): Promise<void> {
  const key = logicalOperationKey(event);
  const before = await rows.one(LogicalOperationEntity, key);
  await rows.put(LogicalOperationEntity, [failed(before, event)]);
  const paths = failedPaths(before, event);
  await rows.add(
    TouchedPathEntity,
    paths.map((path) => ({ ...key, path })),
  );
  await outcomeOf(rows, event, (row) => outcomeFailed(row, event));
}
