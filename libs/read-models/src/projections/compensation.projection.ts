import type { OperationId } from '@retrace/contracts';
import type { Compensator, OperationEntity } from '../entities/operation.entity.js';
import type { RowOf } from '../entities/row-of.js';

/** What liveness needs to know of an operation. */
export type Compensable = Pick<
  RowOf<OperationEntity>,
  'operationId' | 'logicalOperationId' | 'partOf' | 'sequence' | 'ordinal' | 'compensates' | 'undoneBy'
>;

interface Change {
  readonly by: Compensator;
  readonly live: boolean;
}

/**
 * Answers the rows that change when new, live operations take others back. An operation is live while no live one
 * compensates it; so one that dies revives what it had taken back itself (redo), and so on down the chain.
 *
 * `rows` MUST hold what is compensated, and what that compensates, to the end. Compensations point backwards in the
 * log: each row is settled once, newest first, however long the chain or tangled the data.
 */
export function takeBack(rows: Iterable<Compensable>, compensations: readonly Compensable[]): Compensable[] {
  const changes = new Map<OperationId, Change[]>();
  const pass = (from: Compensable, live: boolean): void => {
    const { operationId: operation_id, logicalOperationId: logical_operation_id, sequence } = from;
    const by = { operation_id, logical_operation_id, sequence };
    for (const id of from.compensates) changes.set(id, [...(changes.get(id) ?? []), { by, live }]);
  };
  for (const compensation of compensations) pass(compensation, true);
  return newestFirst(rows).flatMap((row) => {
    const made = changes.get(row.operationId);
    if (!made) return [];
    const next = { ...row, undoneBy: made.reduce(withChange, row.undoneBy) };
    if (isLive(next) !== isLive(row)) pass(next, isLive(next));
    return [next];
  });
}

export const isLive = ({ undoneBy }: Pick<Compensable, 'undoneBy'>): boolean => undoneBy.length === 0;

export const newestCompensator = (compensators: readonly Compensator[]): Compensator | undefined =>
  compensators.toSorted((a, b) => a.sequence - b.sequence).at(-1);

const newestFirst = (rows: Iterable<Compensable>): Compensable[] =>
  [...rows].toSorted((a, b) => b.sequence - a.sequence || b.ordinal - a.ordinal);

function withChange(before: readonly Compensator[], { by, live }: Change): readonly Compensator[] {
  const others = before.filter(({ operation_id }) => operation_id !== by.operation_id);
  return live ? [...others, by].toSorted((a, b) => a.sequence - b.sequence) : others;
}
