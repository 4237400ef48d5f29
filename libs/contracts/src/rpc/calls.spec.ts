import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import * as blob from './blob.calls.js';
import { type CallDefinition, callPattern } from './define-call.js';
import * as fs from './fs.calls.js';
import { CHUNK_BYTES } from './headers.js';
import { pingCall, SERVICES } from './ping.calls.js';
import * as plan from './plan.calls.js';
import * as policy from './policy.calls.js';
import { ProblemSchema } from './problem.js';
import * as query from './query.calls.js';

const isCall = (value: unknown): value is CallDefinition =>
  typeof value === 'object' && value !== null && 'service' in value && 'request' in value;

const CALLS = [
  ...[blob, fs, plan, policy, query].flatMap((calls) => Object.values<unknown>(calls).filter(isCall)),
  ...SERVICES.map((name) => pingCall(name)),
];

/** As the bus carries it: a schema must not tell a value from its JSON. */
const throughJson = (schema: z.ZodType, value: unknown): unknown => schema.parse(JSON.parse(JSON.stringify(value)));

describe('calls', () => {
  it('have a pattern each, of tokens that fit a subject', () => {
    const patterns = CALLS.map(callPattern);
    expect(new Set(patterns).size).toBe(patterns.length);
    for (const pattern of patterns) expect(pattern).toMatch(/^[a-z]+\.[a-z_]+$/);
  });

  it('take a range of a blob no longer than a chunk', () => {
    const get = { hash: 'ab'.repeat(32), offset: 0, length: CHUNK_BYTES };
    expect(throughJson(blob.BlobGet.request, get)).toEqual(get);
    expect(blob.BlobGet.request.safeParse({ ...get, length: CHUNK_BYTES + 1 }).success).toBe(false);
    expect(blob.BlobGet.request.safeParse({ ...get, offset: -1 }).success).toBe(false);
  });

  it('take bytes where they say so, and nothing else', () => {
    expect(blob.BlobPut.request.safeParse(Buffer.from('x')).success).toBe(true);
    expect(blob.BlobPut.request.safeParse({ 0: 1 }).success).toBe(false);
  });

  it('carry a problem with its details', () => {
    const problem = { code: 'exists', message: 'm', details: { path: 'a', list: [1] } };
    expect(throughJson(ProblemSchema, problem)).toEqual(problem);
  });
});
