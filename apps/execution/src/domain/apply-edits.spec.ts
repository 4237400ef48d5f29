import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { applyEdits } from './apply-edits.js';

interface Edit {
  old_text: string;
  new_text: string;
  all?: boolean;
}

const bytes = (content: string | Buffer): Buffer => Buffer.from(content);
const run = (content: string | Buffer, ...edits: Edit[]) => applyEdits(bytes(content), edits);

function given(content: string | Buffer, ...edits: Edit[]) {
  const result = run(content, ...edits);
  if (result.outcome !== 'edited') throw new Error(result.outcome);
  return { text: result.content.toString(), content: result.content, matches: result.matches };
}

describe('line endings', () => {
  it.each([
    ['LF text in a CRLF file', 'foo\r\nbar\r\n', 'foo\nbar', 'foo\nbaz\nbar', 'foo\r\nbaz\r\nbar\r\n'],
    ['a line added in a CRLF file', 'a\r\nb\r\n', 'a', 'a\nc', 'a\r\nc\r\nb\r\n'],
    ['CRLF text in a CRLF file', 'a\r\nb', 'a\r\nb', 'a\r\n\r\nb', 'a\r\n\r\nb'],
    ['CRLF text in an LF file', 'a\nb\n', 'a\r\nb', 'c\nd', 'c\nd\n'],
    ['LF text in an LF file', 'a\nb\n', 'a\nb', 'a\nx\nb', 'a\nx\nb\n'],
    ['new CRLF text in an LF file, as it is', 'a\nb\n', 'a', 'x\r\ny', 'x\r\ny\nb\n'],
    ['a CRLF region of a mixed file', 'z\na\r\nb\r\n', 'a\nb', 'a\nc\nb', 'z\na\r\nc\r\nb\r\n'],
    ['an LF region of a mixed file', 'z\r\na\nb\n', 'a\nb', 'a\nc\nb', 'z\r\na\nc\nb\n'],
    ['one line of a mixed file', 'z\r\na\nb\n', 'a', 'a\nc', 'z\r\na\nc\nb\n'],
    ['a span that mixes both', 'a\r\nb\nc', 'a\nb\nc', 'd\ne', 'd\ne'],
    ['text that begins with an ending', 'a\r\nb\r\n', '\nb', '\nc', 'a\r\nc\r\n'],
    ['text that begins with an empty line', 'a\r\n\r\nb\r\n', '\n\nb', '\nb', 'a\r\nb\r\n'],
    ['text that ends with an ending', 'a\r\nb\r\n', 'a\n', '', 'b\r\n'],
    ['lone CRs, which end no line', 'a\rb\rc', 'b', 'x\ny', 'a\rx\ny\rc'],
    ['a CR before a CRLF', 'a\r\r\nb', 'a\r\nb', 'c', undefined],
  ])('%s', (_, content, old_text, new_text, right) => {
    const result = run(content, { old_text, new_text });
    expect(result.outcome === 'edited' ? result.content.toString() : undefined).toBe(right);
  });

  it('never cuts a CRLF in two', () => {
    expect(given('a\r\nb\r\n', { old_text: '\n', new_text: '\n\n', all: true })).toMatchObject({
      text: 'a\r\n\r\nb\r\n\r\n',
      matches: 2,
    });
    expect(run('a\nb', { old_text: 'a\r\rb', new_text: '' }).outcome).toBe('no_match');
  });

  it('does not take CR alone for an ending', () => {
    expect(run('a\rb', { old_text: 'a\nb', new_text: '' })).toMatchObject({ outcome: 'no_match' });
  });
});

describe('literal text', () => {
  it.each(['$', '$&', '$1', "$'", '$$', '\\n', '.*'])('%s is itself on both sides', (text) => {
    expect(given(`a${text}b`, { old_text: text, new_text: `${text}${text}` }).text).toBe(`a${text}${text}b`);
  });

  it('keeps the byte-order mark and bytes that are no text', () => {
    const content = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x61, 0x80, 0x00, 0xc3]);
    const right = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0x62, 0x80, 0x00, 0xc3]);
    expect(given(content, { old_text: 'a', new_text: 'b' }).content).toEqual(right);
  });
});

describe('matches', () => {
  it('says which edit found nothing, or too much', () => {
    const first = { old_text: 'a', new_text: 'b' };
    expect(run('a', first, { old_text: 'x', new_text: '' })).toEqual({
      outcome: 'no_match',
      edit: 1,
      found: 0,
      text: 'x',
    });
    expect(run('xx\r\nxx', first)).toMatchObject({ outcome: 'no_match' });
    expect(run('b b b', { old_text: 'b', new_text: '' })).toMatchObject({ outcome: 'ambiguous', edit: 0, found: 3 });
    expect(run('a\r\nb a\r\nb', { old_text: 'a\nb', new_text: '' })).toMatchObject({ outcome: 'ambiguous', found: 2 });
  });

  it('are counted without overlap, and each edit sees what the one before it left', () => {
    const all = true;
    expect(
      given(
        'aaaa',
        { old_text: 'aa', new_text: 'b', all },
        { old_text: 'bb', new_text: 'c' },
        { old_text: 'c', new_text: 'd' },
      ),
    ).toMatchObject({ text: 'd', matches: 4 });
  });

  it('do not make a result larger than allowed', () => {
    const edit = { old_text: 'a', new_text: 'x'.repeat(1000), all: true };
    expect(applyEdits(bytes('a'.repeat(100)), [edit], 99_999)).toMatchObject({ outcome: 'too_large', found: 100 });
    expect(applyEdits(bytes('a'.repeat(100)), [edit], 100_000)).toMatchObject({ outcome: 'edited' });
    expect(run('a'.repeat(1_000_001), { old_text: 'a', new_text: '', all: true })).toMatchObject({
      outcome: 'too_large',
    });
  });
});

describe('for any bytes', () => {
  const piece = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array));
  const anyText = fc.string({
    unit: fc.constantFrom('a', 'b', '\n', '\r\n', '\r', 'é', '$'),
    minLength: 1,
    maxLength: 6,
  });

  it('nothing outside the one match changes', () => {
    fc.assert(
      fc.property(piece, anyText, anyText, piece, (before, old_text, new_text, after) => {
        const content = Buffer.concat([before, Buffer.from(old_text), after]);
        const result = applyEdits(content, [{ old_text, new_text }]);
        fc.pre(result.outcome === 'edited' && content.lastIndexOf(old_text) === before.length);
        // Where the text begins with LF behind a CR, the CRLF is one ending and belongs to the match.
        fc.pre(!(old_text.startsWith('\n') && before.at(-1) === 13));
        if (result.outcome !== 'edited') return;
        expect(result.content.subarray(0, before.length)).toEqual(before);
        expect(result.content.subarray(result.content.length - after.length)).toEqual(after);
      }),
    );
  });

  it('a file all of whose lines end in CRLF stays one', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 3 });
    const lines = fc.array(line, { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(lines, lines, fc.nat(5), fc.nat(5), (file, fresh, from, count) => {
        const old_text = file.slice(from, from + count + 1).join('\n');
        fc.pre(old_text.length > 0);
        const { text } = given(file.join('\r\n'), { old_text, new_text: fresh.join('\n'), all: true });
        expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      }),
    );
  });
});
