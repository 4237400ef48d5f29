import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ByteStream, NamedContent } from './content.js';
import { withSource } from './source.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const folder = mkdtempSync(join(tmpdir(), 'retrace-source-'));
const spools = mkdtempSync(join(tmpdir(), 'retrace-spools-'));
const read = async ({ read: reading, size }: NamedContent): Promise<string> =>
  Buffer.from(await reading!(0, size)).toString();

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (const piece of ['one', 'two', 'three']) yield Buffer.from(piece);
}

describe('withSource', () => {
  afterAll(() => {
    for (const one of [folder, spools]) rmSync(one, { recursive: true });
  });

  it.each<[string, () => ByteStream]>([
    ['an async iterable', pieces],
    ['a Readable', () => Readable.from(pieces())],
    ['a Readable of text', () => Readable.from(['one', 'two', 'three'])],
    ['a ReadableStream', () => ReadableStream.from(pieces())],
  ])('names and hands over what %s gives, and leaves nothing behind', async (_, source) => {
    const used = await withSource(
      source(),
      async (content) => {
        expect(readdirSync(spools)).toHaveLength(1);
        return { hash: content.hash, size: content.size, text: await read(content) };
      },
      undefined,
      spools,
    );
    expect(used).toEqual({ hash: sha256('onetwothree'), size: 11, text: 'onetwothree' });
    expect(readdirSync(spools)).toEqual([]);
  });

  it('reads a file, and says that it became shorter', async () => {
    const file = join(folder, 'a');
    writeFileSync(file, 'hello');
    expect(await withSource({ file }, read, undefined)).toBe('hello');
    const shortened = withSource({ file }, (content) => (truncateSync(file, 1), read(content)), undefined);
    await expect(shortened).rejects.toMatchObject({ name: 'ContentError', code: 'content_changed' });
  });

  it('says what cannot be read', async () => {
    const absent = withSource({ file: join(folder, 'absent') }, read, undefined);
    await expect(absent).rejects.toMatchObject({ code: 'content_unreadable' });
    await expect(withSource({ file: folder }, read, undefined)).rejects.toMatchObject({ code: 'content_unreadable' });
    const numbers = Readable.from([1, 2]) as ByteStream;
    await expect(withSource(numbers, read, undefined)).rejects.toMatchObject({ code: 'content_invalid' });
  });

  it('passes on the error of a stream, and removes what it spooled', async () => {
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('one');
      throw new Error('cut');
    };
    await expect(withSource(broken(), read, undefined, spools)).rejects.toThrow('cut');
    expect(readdirSync(spools)).toEqual([]);
  });

  it('ends with the signal although the stream says nothing', async () => {
    const abort = new AbortController();
    const silent = async function* (): AsyncGenerator<Uint8Array> {
      await new Promise(() => undefined);
      yield Buffer.from('never');
    };
    const outcome = withSource(silent(), read, abort.signal, spools);
    abort.abort();
    await expect(outcome).rejects.toMatchObject({ name: 'AbortError' });
  });
});
