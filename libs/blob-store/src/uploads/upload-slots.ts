import type { BlobHash } from '@retrace/contracts';
import { BlobUploadsBusy } from '../blob-errors.js';
import type { BlobUpload, PutOutcome } from '../blob-store.port.js';
import type { OperationGate } from '../operation-gate.js';
import type { CheckedUpload } from './checked-upload.js';

/** Keeps a bounded number of uploads open, so that clients which never come back cost nothing for long. */
export class UploadSlots {
  /** The one idle for longest comes first. */
  readonly #open = new Set<CheckedUpload>();

  constructor(
    private readonly limit: number,
    private readonly gate: OperationGate,
  ) {}

  /** Gives the upload a slot, taken from the longest idle one if need be. Throws BlobUploadsBusy. */
  async admit(upload: CheckedUpload): Promise<BlobUpload> {
    const victim = this.#open.size < this.limit ? undefined : this.#idle(upload.hash);
    if (victim) this.#open.delete(victim);
    this.#open.add(upload);
    await victim?.abort();
    return new TrackedUpload(upload, this, this.gate);
  }

  touch(upload: CheckedUpload): void {
    if (!this.#open.delete(upload)) return;
    this.#open.add(upload);
  }

  releaseIfEnded(upload: CheckedUpload): void {
    if (!upload.open) this.#open.delete(upload);
  }

  /** Ends all uploads. One that cannot be cleaned up does not keep the others, or the store, from closing. */
  async abortAll(): Promise<void> {
    const uploads = [...this.#open];
    this.#open.clear();
    await Promise.allSettled(uploads.map((upload) => upload.abort()));
  }

  #idle(newcomer: BlobHash): CheckedUpload {
    for (const upload of this.#open) if (!upload.busy) return upload;
    throw new BlobUploadsBusy(newcomer, this.limit);
  }
}

/** An upload that keeps its slot fresh, gives it back when over, and stops with the store. */
class TrackedUpload implements BlobUpload {
  constructor(
    private readonly upload: CheckedUpload,
    private readonly slots: UploadSlots,
    private readonly gate: OperationGate,
  ) {}

  get hash(): BlobHash {
    return this.upload.hash;
  }

  get size(): number {
    return this.upload.size;
  }

  get received(): number {
    return this.upload.received;
  }

  append(offset: number, chunk: Uint8Array): Promise<number> {
    this.slots.touch(this.upload);
    return this.gate.run(this.hash, () => this.upload.append(offset, chunk));
  }

  async commit(): Promise<PutOutcome> {
    this.slots.touch(this.upload);
    try {
      return await this.gate.run(this.hash, () => this.upload.commit());
    } finally {
      this.slots.releaseIfEnded(this.upload);
    }
  }

  /** Works on a closed store too: there it finds the upload already ended. */
  async abort(): Promise<void> {
    await this.upload.abort();
    this.slots.releaseIfEnded(this.upload);
  }
}
