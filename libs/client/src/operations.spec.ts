import { createHash } from 'node:crypto';
import { ABSENT, type BlobHash, OperationRequestSchema } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import type { StoredContent } from './content/content.js';
import { draftOperation, type OperationInput } from './operations.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const STORED: StoredContent = { hash: sha256('x') as BlobHash, size: 1 };
const requestOf = (input: OperationInput) => {
  const { content, request } = draftOperation(input);
  return request(undefined, content === undefined ? undefined : STORED);
};

describe('draftOperation', () => {
  it('puts an edit as a script, and leaves out what was not said', () => {
    const input = { edit: 'a.md', edits: [{ oldText: 'a', newText: '$&', all: true }] };
    expect(draftOperation(input).content).toBe('{"edits":[{"old_text":"a","new_text":"$&","all":true}]}');
    expect(requestOf(input)).toEqual({
      operation_id: expect.stringMatching(/^op_/),
      action: 'edit',
      path: 'a.md',
      content_hash: STORED.hash,
      size: 1,
    });
  });

  const INPUTS: OperationInput[] = [
    { create: 'a', content: 'x', mode: 0o600 },
    { write: 'a', content: new Uint8Array(), mode: 0o600, writeMode: 'in_place' },
    { edit: 'a', edits: [{ oldText: 'a', newText: '' }], writeMode: 'replace' },
    { append: 'a', content: 'x', mode: 0o600, writeMode: 'in_place' },
    { mkdir: 'a', mode: 0o755, parents: true },
    { rmdir: 'a' },
    { chmod: 'a', mode: 0o600 },
    { symlink: 'a', target: 'b' },
    { move: 'a', to: 'b', overwrite: true },
    { copy: 'a', to: 'b', overwrite: true, recursive: true },
    { delete: 'a', recursive: true },
  ];
  const SNAKE: Record<string, string> = { writeMode: 'write_mode' };

  it.each(INPUTS)('says all that the contract takes, and what the caller said: %j', (input) => {
    const { content: _, edits: __, ...said } = input as Record<string, unknown>;
    const [[verb], ...fields] = Object.entries(said) as [[string], ...[string, unknown][]];
    const request = requestOf(input);
    expect(OperationRequestSchema.safeParse(request).success).toBe(true);
    expect(request).toMatchObject({ action: verb, path: 'a' });
    expect(request).toMatchObject(Object.fromEntries(fields.map(([name, value]) => [SNAKE[name] ?? name, value])));
  });

  it.each(INPUTS)('sends what is expected: %j', (input) => {
    expect(draftOperation(input).request(ABSENT, STORED).expected).toEqual(ABSENT);
    expect(draftOperation({ ...input, expected: ABSENT }).touch.expected).toEqual(ABSENT);
  });

  it('reaches both ends of what is moved or copied', () => {
    expect(draftOperation({ move: 'a', to: 'b' }).touch).toMatchObject({ path: 'a', to: 'b' });
    expect(draftOperation({ copy: 'a', to: 'b' }).touch).toMatchObject({ path: 'a', to: 'b' });
  });

  it('gives each operation an id of its own, and passes on a request as it is', () => {
    const request = requestOf({ mkdir: 'a' });
    expect(requestOf({ mkdir: 'a' }).operation_id).not.toBe(request.operation_id);
    expect(draftOperation(request).request(ABSENT, undefined)).toBe(request);
  });

  it('says what is no operation', () => {
    expect(() => draftOperation({ touch: 'a' } as unknown as OperationInput)).toThrow(/no operation: .*touch/);
  });
});
