import { type AnyEventDefinition, IntentAuthorized, OperationApplied, type StoredEvent } from '@retrace/contracts';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { OperationEntity } from '../entities/operation.entity.js';
import { OutcomeEntity } from '../entities/outcome.entity.js';
import { PlannedPartEntity } from '../entities/planned-part.entity.js';
import { logicalOperationKey, outcomeKey } from './keys.js';
import type { Wanted } from './rows.js';

/**
 * Rows that the fold of an event will ask for, of the two events that nearly all of a log consists of: many events are
 * folded at once, and their rows read at once. What is not named here is read when it is asked for.
 */
export function wantedRows(event: StoredEvent): readonly Wanted[] {
  if (is(event, IntentAuthorized)) return wantedOfPart(event);
  if (!is(event, OperationApplied)) return [];
  const { workspace, data } = event;
  const records = data.operations.map(({ operation_id: operationId }): Wanted => [
    OperationEntity,
    { operationId, workspace, repeated: 0 },
  ]);
  return [...wantedOfPart(event), ...records];
}

const wantedOfPart = (event: StoredEvent<typeof IntentAuthorized | typeof OperationApplied>): Wanted[] => [
  [LogicalOperationEntity, logicalOperationKey(event)],
  [PlannedPartEntity, { ...logicalOperationKey(event), part: event.data.part }],
  [OutcomeEntity, outcomeKey(event)],
];

const is = <D extends AnyEventDefinition>(event: StoredEvent, { type }: D): event is StoredEvent<D> =>
  event.type === type;
