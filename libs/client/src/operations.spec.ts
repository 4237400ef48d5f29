import { createHash } from 'node:crypto';
import { OperationRequestSchema } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import { buildOperation, isOperationRequest } from './operations.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('buildOperation', () => {
  it('names text by the hash and size of its UTF-8', () => {
    const { request, content } = buildOperation({ create: 'a.md', content: 'é' });
    expect(request).toMatchObject({ action: 'create', path: 'a.md', content_hash: sha256('é'), size: 2 });
    expect(Buffer.from(content!.bytes!).toString()).toBe('é');
  });

  it('takes content that was put before by its hash, with nothing to put', () => {
    const { hash, size } = buildOperation({ write: 'a', content: 'x' }).content!;
    const { request, content } = buildOperation({ write: 'b', content: { hash, size } });
    expect(request).toMatchObject({ content_hash: sha256('x'), size: 1 });
    expect(content).not.toHaveProperty('bytes');
  });

  it('puts an edit as a script, and leaves out what was not said', () => {
    const { request, content } = buildOperation({ edit: 'a.md', edits: [{ oldText: 'a', newText: '$&', all: true }] });
    const script = '{"edits":[{"old_text":"a","new_text":"$&","all":true}]}';
    expect(Buffer.from(content!.bytes!).toString()).toBe(script);
    expect(request).toMatchObject({ action: 'edit', content_hash: sha256(script), size: script.length });
    expect(Object.keys(request)).not.toContain('write_mode');
  });

  it.each([
    { create: 'a', content: 'x', mode: 0o600, expected: { kind: 'absent' as const } },
    { write: 'a', content: new Uint8Array(), mode: 0o600, writeMode: 'in_place' as const },
    { edit: 'a', edits: [{ oldText: 'a', newText: '' }], writeMode: 'replace' as const },
    { mkdir: 'a', mode: 0o755 },
    { delete: 'a', expected: { kind: 'absent' as const } },
  ])('makes what the contract takes: %j', (input) => {
    expect(OperationRequestSchema.safeParse(buildOperation(input).request).success).toBe(true);
  });

  it('keeps what the caller expected of a folder and of what is deleted', () => {
    const expected = { kind: 'absent' as const };
    expect(buildOperation({ mkdir: 'a', expected }).request.expected).toEqual(expected);
    expect(buildOperation({ delete: 'a', expected }).request.expected).toEqual(expected);
  });

  it('gives each operation an id of its own, and passes on a request as it is', () => {
    const { request } = buildOperation({ mkdir: 'a' });
    expect(buildOperation({ mkdir: 'a' }).request.operation_id).not.toBe(request.operation_id);
    expect(buildOperation(request)).toEqual({ request });
    expect(isOperationRequest(request)).toBe(true);
    expect(isOperationRequest({ mkdir: 'a' })).toBe(false);
  });
});
