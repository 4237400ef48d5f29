import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { IntentSchema } from './intent.js';
import { parseSafely } from './parse-safely.js';

describe('parseSafely', () => {
  const strange = JSON.parse('{"length": {"toString": 1, "valueOf": 1}}') as unknown;

  it('refuses what makes the schema throw', () => {
    const schema = z.object({ task: z.string().max(10) });
    expect(() => schema.safeParse({ task: strange })).toThrow(TypeError);
    expect(parseSafely(schema, { task: strange })).toMatchObject({ success: false });
    const intent = { type: 'session.open', intent_id: strange, session_id: strange, task: strange };
    const parsed = parseSafely(IntentSchema, intent);
    expect(parsed.success).toBe(false);
    expect(z.prettifyError(parsed.error!)).toBeDefined();
  });

  it('answers everything else as the schema does', () => {
    expect(parseSafely(z.string(), 'a')).toEqual({ success: true, data: 'a' });
    expect(parseSafely(z.string(), 1).error?.issues).toEqual(z.string().safeParse(1).error?.issues);
  });
});
