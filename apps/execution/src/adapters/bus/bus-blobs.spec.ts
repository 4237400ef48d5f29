import { expect, it } from '@jest/globals';
import { CHUNK_BYTES, RPC_HEADERS } from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import { hashOf } from '../../testing/memory-blobs.js';
import { BusBlobs } from './bus-blobs.js';

interface Asked {
  readonly verb: string;
  readonly request: { offset?: number; length?: number; file?: string };
  readonly headers: Record<string, string> | undefined;
}

/** A snapshot service that holds this content. */
function blobsOver(content: Buffer): { blobs: BusBlobs; asked: Asked[] } {
  const asked: Asked[] = [];
  const call = (
    { verb }: { verb: string },
    _: string,
    request: Asked['request'],
    options?: { headers?: Record<string, string> },
  ) => {
    asked.push({ verb, request, headers: options?.headers });
    const { offset = 0, length = 0 } = request;
    return Promise.resolve(content.subarray(offset, offset + length));
  };
  return { blobs: new BusBlobs({ call } as unknown as CallClient), asked };
}

const content = Buffer.alloc(2 * CHUNK_BYTES + 5, 'abc');
const hash = hashOf(content);

it('fetches content in chunks, and nothing for an empty one', async () => {
  const { blobs, asked } = blobsOver(content);
  expect(hashOf(await blobs.get(hash, content.length))).toBe(hash);
  expect(asked.map(({ request }) => [request.offset, request.length])).toEqual([
    [0, CHUNK_BYTES],
    [CHUNK_BYTES, CHUNK_BYTES],
    [2 * CHUNK_BYTES, 5],
  ]);
  expect(await blobs.get(hash, 0)).toHaveLength(0);
});

it('does not ask for ever for what somebody announced but the blob does not hold', async () => {
  const { blobs, asked } = blobsOver(content);
  await expect(blobs.get(hash, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({ code: 'blob_mismatch' });
  expect(asked).toHaveLength(3);
});

it('puts content in chunks, an empty one in one', async () => {
  const { blobs, asked } = blobsOver(content);
  await blobs.put(hash, content);
  await blobs.put(hashOf(''), Buffer.alloc(0));
  expect(asked.map(({ headers }) => [headers?.[RPC_HEADERS.offset], headers?.[RPC_HEADERS.size]])).toEqual([
    ['0', `${content.length}`],
    [`${CHUNK_BYTES}`, `${content.length}`],
    [`${2 * CHUNK_BYTES}`, `${content.length}`],
    ['0', '0'],
  ]);
});
