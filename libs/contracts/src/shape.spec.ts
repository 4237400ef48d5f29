import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { shapeOf } from './shape.js';

describe('the shape of a schema', () => {
  const schema = z.object({
    text: z.string().max(5),
    count: z.int().min(1),
    ratio: z.number(),
    flag: z.boolean().default(false),
    kind: z.enum(['a', 'b']),
    note: z.string().nullable(),
    more: z.string().optional(),
    list: z.array(z.object({ n: z.literal(1) })).min(1),
    state: z.discriminatedUnion('is', [
      z.object({ is: z.literal('file'), size: z.int() }),
      z.object({ is: z.literal('absent') }),
    ]),
  });
  const fits = shapeOf(schema);
  const good = {
    text: 'x',
    count: 2,
    ratio: 0.5,
    flag: true,
    kind: 'a',
    note: null,
    list: [{ n: 1 }],
    state: { is: 'file', size: 3 },
  };

  it('fits what the schema leaves as it is', () => {
    for (const value of [good, { ...good, more: 'y', note: 'z' }, { ...good, state: { is: 'absent' } }]) {
      expect(fits(value)).toBe(true);
      expect(schema.parse(value)).toEqual(value);
    }
  });

  it.each([
    ['a text that is none', { ...good, text: 1 }],
    ['a count that is no whole number', { ...good, count: 1.5 }],
    ['a field that is missing', { ...good, note: undefined }],
    ['a field that the schema would fill in', { ...good, flag: undefined }],
    ['a field that the schema would leave out', { ...good, other: 1 }],
    ['a field that it would leave out further down', { ...good, state: { is: 'absent', size: 3 } }],
    ['a word that is not among those', { ...good, kind: 'c' }],
    ['an option that there is not', { ...good, state: { is: 'folder' } }],
    ['a list that is too short', { ...good, list: [] }],
    ['a list of something else', { ...good, list: [{ n: 2 }] }],
    ['nothing', null],
    ['a list in place of an object', []],
  ])('does not fit %s', (_what, value) => {
    expect(fits(JSON.parse(JSON.stringify(value)))).toBe(false);
  });

  it('cannot tell where a schema does what it does not know', () => {
    expect(shapeOf(z.object({ text: z.string().transform((text) => text.length) }))({ text: 'x' })).toBe(false);
    expect(shapeOf(z.record(z.string(), z.string()))({})).toBe(false);
    expect(shapeOf(z.looseObject({}))({})).toBe(false);
  });
});
