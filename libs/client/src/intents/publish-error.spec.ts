import { describe, expect, it } from '@jest/globals';
import { notStored } from './publish-error.js';

const api = (code: number, message: string) => Object.assign(new Error(message), { name: 'JetStreamApiError', code });

describe('notStored', () => {
  it.each([
    [api(10_077, 'maximum messages per subject exceeded'), 'too_many_waiting', /await some outcomes/],
    [api(10_054, 'message size exceeds maximum allowed'), 'intent_too_large', /at most 262144 bytes/],
    [api(10_047, 'insufficient storage'), 'unavailable', /insufficient storage/],
    [Object.assign(new Error('x'), { cause: { name: 'PermissionViolationError' } }), 'forbidden', /credentials/],
    [Object.assign(new Error('x'), { name: 'NoResponders' }), 'unavailable', /retrace status/],
  ])('reads %s as %s', (error, code, message) => {
    const refusal = notStored(error);
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(refusal?.cause).toBe(error);
  });

  it('leaves open what a missing acknowledgement means', () => {
    expect(notStored(Object.assign(new Error('timeout'), { name: 'TimeoutError' }))).toBeUndefined();
  });
});
