import type { Retrace } from '@retrace/client';
import { describe, expect, it } from '@jest/globals';
import { LOP, logRow, OP, SES } from '../testing/samples.js';
import { logicalOperationAt, parseReference, selectionOf } from './references.js';

const logOf = (...entries: ReturnType<typeof logRow>[]): Retrace =>
  ({ workspace: 'notes', log: () => Promise.resolve({ entries }) }) as unknown as Retrace;

describe('parseReference', () => {
  it.each([
    [OP, { by: 'operation', id: OP }],
    [LOP, { by: 'logical_operation', id: LOP }],
    [SES, { by: 'session', id: SES }],
    ['1042', { by: 'sequence', sequence: 1042 }],
    ['#7', { by: 'sequence', sequence: 7 }],
  ])('reads %s', (text, reference) => {
    expect(parseReference(text)).toEqual(reference);
  });

  it.each(['', '0', 'op_1', 'docs/a.md', '-1'])('refuses %j', (text) => {
    expect(() => parseReference(text)).toThrow(/names nothing/);
  });
});

describe('selectionOf', () => {
  it('finds the logical operation at a line of the log', async () => {
    expect(await selectionOf(logOf(logRow()), { by: 'sequence', sequence: 1042 })).toEqual({
      by: 'logical_operation',
      logical_operation_id: LOP,
    });
  });

  it('never takes the line before for the one that was named', async () => {
    await expect(logicalOperationAt(logOf(logRow()), 1043)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('says that what was denied changed nothing', async () => {
    const denied = logRow({ logical_operation_id: null, status: 'denied' });
    await expect(logicalOperationAt(logOf(denied), 1042)).rejects.toThrow(/was denied: it changed nothing/);
  });
});
