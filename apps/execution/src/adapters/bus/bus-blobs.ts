import { BlobAdopt, BlobGet, type BlobHash, BlobPut, CHUNK_BYTES, RetraceError, RPC_HEADERS } from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import { Blobs } from '../../ports/blobs.port.js';

/** A snapshot service that died in the middle never answers: asking again is safe, and is to come soon. */
const ADOPT_MS = 15_000;
/** A disk that is slower than this is taken for dead. */
const SLOWEST_BYTES_PER_MS = 5_000;

/** Content from the snapshot service: over the bus, or by a function call where it lives in the same process. */
export class BusBlobs extends Blobs {
  constructor(private readonly calls: CallClient) {
    super();
  }

  async get(hash: BlobHash, size: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.stream(hash, size)) chunks.push(chunk);
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  async *stream(hash: BlobHash, size: number): AsyncIterable<Uint8Array> {
    for (let offset = 0; offset < size; offset += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, size - offset);
      const chunk = await this.calls.call(BlobGet, '_', { hash, offset, length });
      // `size` is what somebody announced: a blob that ends before would be asked for its rest for ever.
      if (chunk.length !== length)
        throw new RetraceError('blob_mismatch', `blob ${hash} ends before the ${size} bytes that were announced`);
      yield chunk;
    }
  }

  async put(hash: BlobHash, content: Uint8Array): Promise<void> {
    const size = content.length;
    for (let offset = 0; offset === 0 || offset < size; offset += CHUNK_BYTES) {
      const headers = {
        [RPC_HEADERS.hash]: hash,
        [RPC_HEADERS.offset]: String(offset),
        [RPC_HEADERS.size]: String(size),
      };
      await this.calls.call(BlobPut, '_', content.subarray(offset, offset + CHUNK_BYTES), { headers });
    }
  }

  async adopt(hash: BlobHash, size: number, file: string): Promise<void> {
    await this.calls.call(BlobAdopt, '_', { hash, size, file }, { timeoutMs: ADOPT_MS + size / SLOWEST_BYTES_PER_MS });
  }
}
