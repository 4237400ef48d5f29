import { describe, expect, it } from '@jest/globals';
import {
  EventIdSchema,
  IntentIdSchema,
  isMintedId,
  LogicalOperationIdSchema,
  OperationIdSchema,
  SessionIdSchema,
} from './ids.js';

const V7 = '01890a5d-ac96-774b-bcce-b302099a8057';
const V8 = '01890a5d-ac96-874b-bcce-b302099a8057';

describe('ids', () => {
  it.each([`op_${V7}`, `op_${V8}`])('takes a minted or derived id: %s', (id) => {
    expect(OperationIdSchema.parse(id)).toBe(id);
  });

  it.each([
    ['another kind of thing', `lop_${V7}`],
    ['a bare uuid', V7],
    ['a random uuid (version 4)', `op_${V7.replace('-774b', '-474b')}`],
    ['upper case', `op_${V7.toUpperCase()}`],
    ['something behind it', `op_${V7}\n`],
    ['something before it', ` op_${V7}`],
    ['a wrong variant', `op_${V7.replace('-bcce', '-ccce')}`],
  ])('refuses %s', (_, id) => {
    expect(OperationIdSchema.safeParse(id).success).toBe(false);
  });

  it('tells minted ids from derived ones', () => {
    expect([isMintedId(`op_${V7}`), isMintedId(`lop_${V8}`)]).toEqual([true, false]);
  });

  it('keeps the kinds apart', () => {
    const kinds = { evt: EventIdSchema, int: IntentIdSchema, lop: LogicalOperationIdSchema, ses: SessionIdSchema };
    for (const [prefix, schema] of Object.entries(kinds))
      for (const other of Object.keys(kinds)) expect(schema.safeParse(`${other}_${V7}`).success).toBe(other === prefix);
  });
});
