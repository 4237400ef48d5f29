import type { OperationFailed, StoredEvent } from '@retrace/contracts';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { PlannedPartEntity } from '../entities/planned-part.entity.js';
import { TouchedPathEntity } from '../entities/touched-path.entity.js';
import { failed } from '../projections/logical-operation.projection.js';
import { outcomeFailed } from '../projections/outcome.projection.js';
import { touchedPaths } from '../projections/planned-part.projection.js';
import { logicalOperationKey, outcomeOf } from './keys.js';
import type { Rows } from './rows.js';

export async function foldFailed(rows: Rows, event: StoredEvent<typeof OperationFailed>): Promise<void> {
  const key = logicalOperationKey(event);
  await rows.change(LogicalOperationEntity, key, (row) => failed(row, event));
  const planned = await rows.one(PlannedPartEntity, { ...key, part: event.data.part });
  await rows.add(TouchedPathEntity, touchedPaths(planned, event));
  await outcomeOf(rows, event, (row) => outcomeFailed(row, event));
}
