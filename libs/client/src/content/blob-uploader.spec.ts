import {
  type CallDefinition,
  CHUNK_BYTES,
  decodeContents,
  RetraceError,
  RPC_HEADERS,
  type WorkspaceName,
} from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import { BlobUploader } from './blob-uploader.js';
import { nameBytes } from './content.js';

type Reply = { received: number; done: boolean } | RetraceError;
type Chunk = { offset: number; size: number; bytes: number };

/** A store that keeps what arrives in order; `disturb` may answer in its place. */
const uploaderTo = (disturb: (chunk: Chunk, nth: number) => Reply | undefined = () => undefined) => {
  const chunks: Chunk[] = [];
  let received = 0;
  const call = (
    _: CallDefinition,
    _workspace: unknown,
    body: Uint8Array,
    options: { headers: Record<string, string> },
  ) => {
    const offset = Number(options.headers[RPC_HEADERS.offset]);
    const chunk = { offset, size: Number(options.headers[RPC_HEADERS.size]), bytes: body.length };
    chunks.push(chunk);
    const disturbed = disturb(chunk, chunks.length);
    if (disturbed instanceof RetraceError) return Promise.reject(disturbed);
    if (offset <= received) received = Math.max(received, offset + body.length);
    return Promise.resolve(disturbed ?? { received, done: received === chunk.size });
  };
  const calls = { call } as unknown as ConstructorParameters<typeof BlobUploader>[0];
  const uploader = new BlobUploader(calls, 'notes' as WorkspaceName, () => Promise.resolve());
  return { uploader, chunks };
};
const content = (size: number) => nameBytes(new Uint8Array(size));

describe('BlobUploader', () => {
  it('sends the first chunk before put returns', () => {
    const { uploader, chunks } = uploaderTo();
    void uploader.put(content(3));
    expect(chunks).toEqual([{ offset: 0, size: 3, bytes: 3 }]);
  });

  it.each([0, 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES])('brings %i bytes in chunks', async (size) => {
    const { uploader, chunks } = uploaderTo();
    await uploader.put(content(size));
    expect(chunks.map(({ bytes }) => bytes).reduce((sum, bytes) => sum + bytes, 0)).toBe(size);
    expect(chunks).toHaveLength(Math.max(1, Math.ceil(size / CHUNK_BYTES)));
  });

  it('begins again after a failure, and goes on where the store is', async () => {
    const failure = new RetraceError('timeout', 'no answer');
    const { uploader, chunks } = uploaderTo((_, nth) => (nth === 3 ? failure : undefined));
    await uploader.put(content(3 * CHUNK_BYTES));
    expect(chunks.map(({ offset }) => offset / CHUNK_BYTES)).toEqual([0, 1, 2, 0, 2]);
  });

  it('gives up at once on a refusal that stays', async () => {
    const { uploader, chunks } = uploaderTo(() => new RetraceError('blob_too_large', 'too large'));
    await expect(uploader.put(content(1))).rejects.toMatchObject({ code: 'blob_too_large' });
    expect(chunks).toHaveLength(1);
  });

  it('gives up in the end on a store that takes nothing', async () => {
    const { uploader } = uploaderTo(() => ({ received: 0, done: false }));
    await expect(uploader.put(content(1))).rejects.toMatchObject({ code: 'busy' });
  });

  it('sends the same content once while it is on its way', async () => {
    const { uploader, chunks } = uploaderTo();
    await Promise.all([uploader.put(content(1)), uploader.put(content(1))]);
    expect(chunks).toHaveLength(1);
  });

  it('keeps the number of uploads at once in bounds', async () => {
    const { uploader, chunks } = uploaderTo();
    const all = Array.from({ length: 100 }, (_, size) => uploader.put(content(size + 1)));
    expect(chunks.length).toBeLessThan(100);
    await Promise.all(all);
    expect(chunks).toHaveLength(100);
  });

  describe('of several contents', () => {
    /** Answers what was sent: of a body of many, how many; of a single put, 1. */
    const uploaderOf = (fail?: RetraceError) => {
      const sent: number[] = [];
      const call = (of: CallDefinition, _: unknown, body: Uint8Array) => {
        if (of.verb !== 'put_many') return Promise.resolve({ received: sent.push(1), done: true });
        if (fail) return Promise.reject(fail);
        return Promise.resolve({ stored: sent.push(decodeContents(body).length) });
      };
      const calls = { call } as unknown as ConstructorParameters<typeof BlobUploader>[0];
      return { sent, uploader: new BlobUploader(calls, 'notes' as WorkspaceName, () => Promise.resolve()) };
    };
    const texts = (count: number, size = 8) =>
      Array.from({ length: count }, (_, i) => nameBytes(Buffer.from(String(i).padStart(size))));

    it('lets small ones travel together, as many as a message takes, each once', async () => {
      const { sent, uploader } = uploaderOf();
      await uploader.putAll([...texts(130), ...texts(130)]);
      expect(sent).toEqual([128, 2]);
      await uploader.putAll(texts(20, 60 * 1024));
      expect(sent.slice(2)).toEqual([8, 8, 4]);
    });

    it('sends one, or a large one, by itself', async () => {
      const { sent, uploader } = uploaderOf();
      await uploader.putAll(texts(1));
      await uploader.putAll([content(70 * 1024), content(80 * 1024)]);
      expect(sent).toEqual([1, 1, 1]);
    });

    it('sends each by itself where they do not arrive together, unless that changes nothing', async () => {
      const lost = uploaderOf(new RetraceError('timeout', 'no answer'));
      await lost.uploader.putAll(texts(3));
      expect(lost.sent).toEqual([1, 1, 1]);
      const refused = uploaderOf(new RetraceError('blob_mismatch', 'no'));
      await expect(refused.uploader.putAll(texts(3))).rejects.toMatchObject({ code: 'blob_mismatch' });
      expect(refused.sent).toEqual([]);
    });
  });
});
