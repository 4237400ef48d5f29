import type { ApplyIntent } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { describe, expect, it } from '@jest/globals';
import { draftOperation } from '../operations.js';
import { encodeIntent } from './encode-intent.js';

const intent = (paths: readonly string[]): ApplyIntent => ({
  type: 'operation.apply',
  intent_id: newId('int'),
  session_id: newId('ses'),
  operations: paths.map((path) => draftOperation({ mkdir: path }).request(undefined, undefined)),
});
const paths = (count: number, length = 1): string[] =>
  Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, 'x'));

describe('encodeIntent', () => {
  it('takes as many operations as an intent may have', () => {
    expect(JSON.parse(encodeIntent(intent(paths(256)))).operations).toHaveLength(256);
  });

  it.each([
    ['malformed_intent', intent(paths(257))],
    ['intent_too_large', intent(paths(256, 2_000))],
    ['malformed_intent', intent([])],
    ['malformed_intent', { ...intent(['a']), reason: 'x'.repeat(2_001) }],
  ])('refuses before it travels: %s', (code, refused) => {
    expect(() => encodeIntent(refused)).toThrow(expect.objectContaining({ code }));
  });
});
