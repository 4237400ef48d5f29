import type { BlobHash } from '@retrace/contracts';

/** Content by hash, as execution needs it. Rejects with `blob_absent`, `blob_corrupt`, or `unavailable` (worth a retry). */
export abstract class Blobs {
  /** Whole content; for sizes that fit memory. */
  abstract get(hash: BlobHash, size: number): Promise<Uint8Array>;
  /** In chunks, in order. */
  abstract stream(hash: BlobHash, size: number): AsyncIterable<Uint8Array>;
  abstract put(hash: BlobHash, content: Uint8Array): Promise<void>;
  /** Takes over the bytes of a file on this host. */
  abstract adopt(hash: BlobHash, size: number, file: string): Promise<void>;
}
