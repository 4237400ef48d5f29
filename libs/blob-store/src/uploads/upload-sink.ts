import type { PutOutcome } from '../blob-store.port.js';

/** Where the bytes of an upload go. Calls never overlap. */
export interface UploadSink {
  /** Writes all of the bytes at the position; after an error the same position is written again. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Makes the bytes, already verified, a visible blob. Leaves nothing behind when it fails. */
  keep(): Promise<PutOutcome>;
  discard(): Promise<void>;
}

/** Gathers an upload in memory; what was announced is not allocated before it arrives. */
export class MemorySink implements UploadSink {
  #chunks: Uint8Array[] = [];

  constructor(private readonly store: (content: Uint8Array) => Promise<PutOutcome>) {}

  async write(bytes: Uint8Array): Promise<void> {
    this.#chunks.push(bytes);
  }

  async keep(): Promise<PutOutcome> {
    const content = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return this.store(content);
  }

  async discard(): Promise<void> {
    this.#chunks = [];
  }
}
