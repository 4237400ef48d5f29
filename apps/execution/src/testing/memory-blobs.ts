import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type BlobHash, BlobHashSchema, RetraceError } from '@retrace/contracts';
import { Blobs } from '../ports/blobs.port.js';

export const hashOf = (content: Uint8Array | string): BlobHash =>
  BlobHashSchema.parse(createHash('sha256').update(content).digest('hex'));

const CHUNK_BYTES = 512 * 1024;

/** Content in memory, or in what looks like it. `down` makes every call fail as a store that is away does. */
export class MemoryBlobs extends Blobs {
  readonly adopted: BlobHash[] = [];
  down = false;
  /** Runs whenever content is asked for: what others do while an operation is prepared. */
  onGet: (hash: BlobHash) => void = () => undefined;

  constructor(readonly content: Map<BlobHash, Uint8Array> = new Map()) {
    super();
  }

  keep(content: Uint8Array | string): BlobHash {
    const hash = hashOf(content);
    this.content.set(hash, Buffer.from(content));
    return hash;
  }

  text(hash: BlobHash): string | undefined {
    const content = this.content.get(hash);
    return content && Buffer.from(content).toString();
  }

  async get(hash: BlobHash, size: number): Promise<Uint8Array> {
    return (await this.find(hash)).subarray(0, size);
  }

  async *stream(hash: BlobHash, size: number): AsyncIterable<Uint8Array> {
    const content = await this.find(hash);
    for (let at = 0; at < size; at += CHUNK_BYTES) yield content.subarray(at, Math.min(size, at + CHUNK_BYTES));
  }

  async put(hash: BlobHash, content: Uint8Array): Promise<void> {
    await this.answer();
    if (hashOf(content) !== hash) throw new RetraceError('blob_mismatch', 'not this content');
    this.content.set(hash, Buffer.from(content));
  }

  async adopt(hash: BlobHash, size: number, file: string): Promise<void> {
    await this.answer();
    const content = read(file);
    if (content.length !== size || hashOf(content) !== hash) throw new RetraceError('blob_mismatch', 'not this file');
    this.content.set(hash, content);
    this.adopted.push(hash);
  }

  private async find(hash: BlobHash): Promise<Uint8Array> {
    await this.answer();
    this.onGet(hash);
    const content = this.content.get(hash);
    if (!content) throw new RetraceError('blob_absent', `no ${hash}`);
    return content;
  }

  private answer(): Promise<void> {
    return this.down ? Promise.reject(new RetraceError('unavailable', 'no service answers')) : Promise.resolve();
  }
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new RetraceError('blob_source_invalid', `${file} cannot be looked at`, { cause });
  }
}
