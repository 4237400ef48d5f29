import { describe, expect, it } from '@jest/globals';
import { parseApplyDocument } from './apply-document.js';

const parse = (value: unknown) =>
  parseApplyDocument(typeof value === 'string' ? value : JSON.stringify(value), (file) =>
    Promise.resolve(Buffer.from(`content of ${file}`)),
  );

describe('parseApplyDocument', () => {
  it('takes each action in its short and its long form', async () => {
    const short = [
      { create: 'a', content: 'x', mode: 420 },
      { write: 'b', content: 'y', write_mode: 'in_place' },
      { edit: 'c', edits: [{ old_text: '1', new_text: '2', all: true }] },
      { mkdir: 'd' },
      { delete: 'e', expected: { kind: 'absent' } },
    ];
    const long = short.map(({ ...item }) => {
      const [[action, path], ...rest] = Object.entries(item) as [[string, string], ...[string, unknown][]];
      return { action, path, ...Object.fromEntries(rest) };
    });
    const operations = await parse(short);
    expect(operations).toEqual([
      { create: 'a', content: 'x', mode: 420 },
      { write: 'b', content: 'y', writeMode: 'in_place' },
      { edit: 'c', edits: [{ oldText: '1', newText: '2', all: true }] },
      { mkdir: 'd' },
      { delete: 'e', expected: { kind: 'absent' } },
    ]);
    expect(await parse(long)).toEqual(operations);
  });

  it('takes content as text, as base64 or from a local file', async () => {
    const operations = await parse([
      { write: 'a', content: '' },
      { write: 'b', content_base64: 'AAE=' },
      { write: 'c', file: 'local.md' },
    ]);
    expect(operations.map((one) => 'content' in one && Buffer.from(one.content as string).toString('hex'))).toEqual([
      '',
      '0001',
      Buffer.from('content of local.md').toString('hex'),
    ]);
  });

  it.each([
    ['{', /no JSON/],
    [{ create: 'a' }, /list of operations/],
    [[], /at least one/],
    [[{ create: 'a', content: 'x', colour: 'red' }], /colour/],
    [[{ create: 'a', write: 'b', content: 'x' }], /action/],
    [[{ write: 'a', content: 'x', file: 'y' }], /operation 0 \(a\): give one of/],
    [[{ create: 'a' }], /operation 0 \(a\): give one of/],
    [[{ edit: 'a', edits: [{ old_text: '', new_text: 'x' }] }], /old_text/],
  ])('refuses %j and says why', async (document, why) => {
    await expect(parse(document)).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(why) });
  });
});
