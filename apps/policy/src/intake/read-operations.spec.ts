import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BlobHashSchema, type OperationsBlob } from '@retrace/contracts';
import { deriveId } from '@retrace/event-log';
import type { ReadOperations } from '../domain/decision-input.js';
import { operation } from '../domain/testing.js';
import { readOperations } from './read-operations.js';
import { runInSlices } from './run-in-slices.js';

const two = [operation('write', 'a', 1), operation('mkdir', 'b', 2)];
const blobOf = (bytes: Uint8Array, changed: Partial<OperationsBlob> = {}): OperationsBlob => ({
  hash: BlobHashSchema.parse(createHash('sha256').update(bytes).digest('hex')),
  size: bytes.length,
  count: 2,
  ...changed,
});
const read = (value: unknown, changed: Partial<OperationsBlob> = {}): Promise<ReadOperations> => {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  return runInSlices(readOperations(bytes, blobOf(bytes, changed)));
};
const malformed = (text: string) => ({ kind: 'malformed', message: expect.stringContaining(text) });

describe('a blob of operations', () => {
  it('is read as an intent would list them', async () => {
    expect(await read(two)).toEqual({ kind: 'read', operations: two });
    expect(await read(two.map((one) => ({ ...one, strange: 1 })))).toEqual({ kind: 'read', operations: two });
  });

  it.each<[string, unknown, Partial<OperationsBlob>, string]>([
    [
      'a derived id',
      [two[0], { ...two[1], operation_id: deriveId('op', two[0]!.operation_id, 'source') }],
      {},
      'operation_id of operation 1: op_',
    ],
    ['another size', two, { size: 7 }, 'the intent says 7'],
    ['another hash', two, { hash: 'f'.repeat(64) as never }, 'the intent names ffff'],
    ['another number of operations', two, { count: 3 }, 'it lists 2 operations, the intent says 3'],
    ['no JSON', '[{', {}, 'it is no JSON array'],
    ['no array', '{"length":2}', {}, 'it is no JSON array'],
    ['an operation of another form', [two[0], { action: 'mkdir' }], {}, 'operation 1 of it'],
    ['an unknown verb', [two[0], { ...two[1], action: 'explode' }], {}, 'operation 1 of it'],
  ])('with %s is refused and says so', async (_what, value, changed, text) => {
    expect(await read(value, changed)).toEqual(malformed(text));
  });

  it('lets others run while it is read', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => operation('write', `free/${index}`, index));
    let turns = 0;
    let running = true;
    const turn = (): void => {
      turns += 1;
      if (running) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await read(many, { count: many.length })).toMatchObject({ kind: 'read' });
    running = false;
    expect(turns).toBeGreaterThan(0);
  });
});
