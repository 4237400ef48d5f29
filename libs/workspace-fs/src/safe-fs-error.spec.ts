import { expect, it } from '@jest/globals';
import fs from 'node:fs';
import { viaNode } from './safe-fs-error.js';

it('tells errors of node by their number, of whatever realm they are', () => {
  expect(() => viaNode('open', 'a', () => fs.openSync('/proc/self/none', 'r'))).toThrow(
    expect.objectContaining({ name: 'SafeFsError', code: 'absent', call: 'open', subject: 'a' }),
  );
});

it.each([new Error('a bug'), 'text', undefined, null, { errno: undefined }])('throws on what is none: %s', (thrown) => {
  const run = () =>
    viaNode('open', 'a', () => {
      throw thrown;
    });
  let caught: unknown = 'nothing';
  try {
    run();
  } catch (error) {
    caught = error;
  }
  expect(caught).toBe(thrown);
});
