import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { mergeTexts } from './text-merge.js';

const merge = (base: string | Uint8Array, ours: string | Uint8Array, theirs: string | Uint8Array) => {
  const merged = mergeTexts({ base: Buffer.from(base), ours: Buffer.from(ours), theirs: Buffer.from(theirs) });
  return merged.ok ? Buffer.from(merged.bytes).toString() : merged.reason;
};

describe('merging texts', () => {
  it('keeps what each side changed', () =>
    expect(merge('1\n2\n3\n', '1\n2\n3\nours\n', 'theirs\n2\n3\n')).toBe('theirs\n2\n3\nours\n'));

  it('keeps the end of each line as it was, and the missing one at the end', () => {
    expect(merge('1\r\n2\r\n3\r\n', '1\r\n2\r\n3\r\n4\n', 'a\r\n2\r\n3\r\n')).toBe('a\r\n2\r\n3\r\n4\n');
    expect(merge('1\n2\n3', '0\n1\n2\n3', '1\n2\nthree')).toBe('0\n1\n2\nthree');
    expect(merge('1\n2\n3\n', '1\r\n2\n3\n', '1\n2\n3')).toBe('1\r\n2\n3');
  });

  it('keeps a byte-order mark', () =>
    expect(merge('\ufeff1\n2\n', '\ufeff1\n2\n3\n', '\ufeff0\n2\n')).toBe('\ufeff0\n2\n3\n'));

  it('names the lines of a conflict', () => {
    expect(merge('1\n2\n3\n', '1\na\n3\n', '1\nb\n3\n')).toBe('line 2 was changed again later');
    expect(merge('1\n2\n3\n', 'a\na\n3\n', 'b\nc\n3\n')).toBe('lines 1 to 2 were changed again later');
  });

  it('takes what both sides changed alike', () => expect(merge('1\n2\n', '1\nx\n', '1\nx\n')).toBe('1\nx\n'));

  it('touches nothing that is no text', () => {
    expect(merge('a\0', 'b\0', 'c\0')).toContain('no text');
    expect(merge(Uint8Array.of(0xff), 'b', 'c')).toContain('no text');
  });

  const texts = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', 'd'), { maxLength: 8 }).map((all) => all.join(''));
  it('answers the other side where one changed nothing', () =>
    fc.assert(
      fc.property(texts, texts, (base, other) => {
        expect(merge(base, base, other)).toBe(other);
        expect(merge(base, other, base)).toBe(other);
      }),
    ));

  it('loses no line that only one side added', () => {
    const numbered = fc.array(fc.nat(5), { maxLength: 6 });
    const sides = fc.tuple(numbered, fc.array(fc.tuple(fc.nat(6), fc.boolean()), { maxLength: 4 }));
    fc.assert(
      fc.property(sides, ([numbers, inserts]) => {
        const base = numbers.map((number) => `${number}\n`);
        const ours = [...base];
        const theirs = [...base];
        for (const [index, [at, mine]] of inserts.entries())
          (mine ? ours : theirs).splice(at, 0, `${mine ? 'ours' : 'theirs'} ${index}\n`);
        const merged = mergeTexts({
          base: Buffer.from(base.join('')),
          ours: Buffer.from(ours.join('')),
          theirs: Buffer.from(theirs.join('')),
        });
        if (!merged.ok) return;
        const lines = Buffer.from(merged.bytes)
          .toString()
          .split(/(?<=\n)/);
        for (const line of [...ours, ...theirs]) expect(lines).toContain(line);
      }),
    );
  });
});
