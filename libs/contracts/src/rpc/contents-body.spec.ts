import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { BlobHashSchema } from '../path-state.js';
import { decodeContents, encodeContents } from './contents-body.js';

const hash = fc
  .array(fc.constantFrom(...'0123456789abcdef'.split('')), { minLength: 64, maxLength: 64 })
  .map((digits) => BlobHashSchema.parse(digits.join('')));
const contents = fc.array(fc.record({ hash, bytes: fc.uint8Array({ maxLength: 40 }) }), { maxLength: 8 });

function codeOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}

describe('many contents in one body', () => {
  it('come out as they went in, wherever the body lies in memory', () => {
    fc.assert(
      fc.property(contents, fc.nat(9), (given, offset) => {
        const body = encodeContents(given);
        const memory = new Uint8Array(body.length + offset);
        memory.set(body, offset);
        const found = decodeContents(memory.subarray(offset));
        expect(found.map(({ hash: name, bytes }) => [name, [...bytes]])).toEqual(
          given.map(({ hash: name, bytes }) => [name, [...bytes]]),
        );
      }),
    );
  });

  it('are refused by name where the body is cut, or is anything else', () => {
    fc.assert(
      fc.property(contents, fc.nat(), (given, cut) => {
        const body = encodeContents([
          ...given,
          { hash: BlobHashSchema.parse('0'.repeat(64)), bytes: Buffer.from('x') },
        ]);
        expect(() => decodeContents(body.subarray(0, cut % body.length))).toThrow('a body of many contents');
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect([undefined, 'bad_request']).toContain(codeOf(() => decodeContents(bytes)));
      }),
    );
  });
});
