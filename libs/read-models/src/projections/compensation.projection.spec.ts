import { describe, expect, it } from '@jest/globals';
import type { OperationId } from '@retrace/contracts';
import * as fc from 'fast-check';
import { id } from '../testing/stored.js';
import { type Compensable, isLive, takeBack } from './compensation.projection.js';

const operation = (n: number, ...compensates: number[]): Compensable => ({
  operationId: id('op', n),
  logicalOperationId: id('lop', n),
  partOf: null,
  sequence: n,
  ordinal: 0,
  compensates: compensates.map((number) => id('op', number)),
  undoneBy: [],
});

/** Folds operations one event after the other, as the log would bring them. */
function fold(operations: readonly Compensable[]): Map<OperationId, Compensable> {
  const rows = new Map<OperationId, Compensable>();
  for (const added of operations) {
    for (const changed of takeBack(rows.values(), [added])) rows.set(changed.operationId, changed);
    rows.set(added.operationId, added);
  }
  return rows;
}

const live = (rows: Map<OperationId, Compensable>): boolean[] => [...rows.values()].map(isLive);

describe('takeBack', () => {
  it('undoes what a live compensation takes back', () => {
    expect(fold([operation(1), operation(2, 1)]).get(id('op', 1))?.undoneBy).toEqual([
      { operation_id: id('op', 2), logical_operation_id: id('lop', 2), sequence: 2 },
    ]);
  });

  it('revives the first when its undo is undone, and takes it back again with the next', () => {
    const chain = [operation(1), operation(2, 1), operation(3, 2), operation(4, 3)];
    expect(live(fold(chain.slice(0, 3)))).toEqual([true, false, true]);
    expect(live(fold(chain))).toEqual([false, true, false, true]);
  });

  it('keeps an operation undone while one of two compensations is live', () => {
    const both = [operation(1), operation(2, 1), operation(3, 1), operation(4, 3)];
    expect(live(fold(both))).toEqual([false, true, false, true]);
    expect(live(fold([...both, operation(5, 2)]))).toEqual([true, false, false, true, true]);
  });

  it('handles an undo that takes back a redo and the operation below it', () => {
    const rows = [operation(1), operation(2, 1), operation(3, 2), operation(4, 3, 1)];
    expect(live(fold(rows))).toEqual([false, true, false, true]);
    expect(live(fold([...rows, operation(5, 4)]))).toEqual([true, false, true, false, true]);
  });

  it('passes by ids that nobody knows and an operation that names itself', () => {
    expect(takeBack([], [operation(2, 1)])).toEqual([]);
    expect(live(fold([operation(1, 1)]))).toEqual([true]);
  });

  it('agrees with the definition on any history: live is what no live one compensates', () => {
    const histories = fc.array(fc.array(fc.nat(12), { maxLength: 3 }), { maxLength: 14 });
    fc.assert(
      fc.property(histories, (history) => {
        const operations = history.map((back, at) => operation(at, ...back.filter((number) => number < at)));
        const defined = (n: number): boolean =>
          !operations.some((other) => other.compensates.includes(id('op', n)) && defined(other.sequence));
        expect(live(fold(operations))).toEqual(operations.map((_, n) => defined(n)));
      }),
    );
  });
});
