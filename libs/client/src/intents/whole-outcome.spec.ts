import {
  IntentDenied,
  OperationApplied,
  type OperationRecord,
  QueryOperation,
  type WorkspacePath,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { describe, expect, it } from '@jest/globals';
import { appliedData, deniedData, recordOf } from '../testing/outcome-data.js';
import { type Ask, operationCountOf, type OutcomeAnswer, wholeOutcome } from './whole-outcome.js';

const SEQUENCE = 7;
const recordsAt = (prefix: string, count: number): OperationRecord[] =>
  Array.from({ length: count }, (_, n) => {
    const path = `${prefix}/${n}`;
    return recordOf({ operation_id: newId('op'), path: { typed: path, canonical: path as WorkspacePath } });
  });

/** Projection: parts of a logical operation at their sequences, answered in pages. */
const projection = (parts: ReadonlyMap<number, readonly OperationRecord[]>, page: number): Ask => {
  const details = [...parts].flatMap(([sequence, records]) =>
    records.map((record) => ({
      ...record,
      state_snapshot_after: { ...record.state_snapshot_after, sequence },
      sequence,
      time: 'then',
      workspace: 'notes',
      kind: 'operation',
      undone_by: null,
    })),
  );
  return (call, request) => {
    if ((call as unknown) !== QueryOperation) throw new Error(`unasked: ${call.verb}`);
    const { from = 0 } = request as { from?: number };
    return Promise.resolve(call.reply.parse({ operations: details.slice(from, from + page), total: details.length }));
  };
};

const cut = (data: object, operation_count: number): OutcomeAnswer => ({
  status: 'applied',
  sequence: SEQUENCE,
  type: OperationApplied.type,
  data: { ...data, operation_count },
});
const unasked: Ask = () => Promise.reject(new Error('nobody answers'));

describe('wholeOutcome', () => {
  it.each([
    ['one whole', 0, 0],
    ['one part between others', 3, 4],
    ['a part behind many', 40, 0],
  ])('reads on what the answer does not hold: %s', async (_, before, after) => {
    const [earlier, records, later] = [recordsAt('a', before), recordsAt('b', 25), recordsAt('c', after)];
    const parts = new Map([
      [SEQUENCE - 1, earlier],
      [SEQUENCE, records],
      [SEQUENCE + 1, later],
    ]);
    const data = appliedData({ operations: records });
    const answer = cut({ ...data, operations: records.slice(0, 4) }, 25);
    expect(await wholeOutcome(answer, projection(parts, 6))).toEqual({ ...answer, data });
  });

  it('stays as it is, with its count, where the others cannot be read', async () => {
    const records = recordsAt('b', 25);
    const answer = cut(appliedData({ operations: records.slice(0, 4) }), 25);
    expect(await wholeOutcome(answer, unasked)).toBe(answer);
    const fewer = projection(new Map([[SEQUENCE, records.slice(0, 20)]]), 6);
    expect(await wholeOutcome(answer, fewer)).toBe(answer);
    expect(operationCountOf(answer.data)).toBe(25);
  });

  it('asks nothing about what is whole, or no application at all', async () => {
    const whole = { ...cut({}, 0), data: appliedData() };
    expect(await wholeOutcome(whole, unasked)).toBe(whole);
    const denied = { ...whole, status: 'denied' as const, type: IntentDenied.type, data: deniedData() };
    expect(await wholeOutcome(denied, unasked)).toBe(denied);
    const undecided = { status: 'undecided' as const, sequence: null, type: null, data: null };
    expect(await wholeOutcome(undecided, unasked)).toBe(undecided);
  });
});
