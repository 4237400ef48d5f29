import { createHash } from 'node:crypto';
import type { BlobHash } from '@retrace/contracts';
import { BlobIncomplete, BlobMismatch, BlobUploadGap, BlobUploadGone } from '../blob-errors.js';
import type { BlobUpload, PutOutcome } from '../blob-store.port.js';
import { assertByteCount } from '../byte-range.js';
import { SerialLane } from './serial-lane.js';
import type { UploadSink } from './upload-sink.js';

/** The rules of an upload (order, repetition, size, hash), whatever it is written to. */
export class CheckedUpload implements BlobUpload {
  readonly #digest = createHash('sha256');
  readonly #lane = new SerialLane();
  #received = 0;
  #aborted = false;
  #outcome: Promise<PutOutcome> | undefined;

  constructor(
    readonly hash: BlobHash,
    readonly size: number,
    private readonly sink: UploadSink,
  ) {}

  get received(): number {
    return this.#received;
  }

  get open(): boolean {
    return !this.#aborted && this.#outcome === undefined;
  }

  get busy(): boolean {
    return this.#lane.busy;
  }

  async append(offset: number, chunk: Uint8Array): Promise<number> {
    this.#assertFits(offset, chunk);
    // Hashed and written must be the same bytes, though the caller may reuse its buffer meanwhile.
    const own = new Uint8Array(chunk);
    return this.#lane.run(() => this.#append(offset, own));
  }

  async commit(): Promise<PutOutcome> {
    return this.#lane.run(async () => {
      this.#outcome ??= this.#finish();
      return this.#outcome;
    });
  }

  async abort(): Promise<void> {
    return this.#lane.run(async () => {
      if (!this.open) return;
      this.#aborted = true;
      await this.sink.discard();
    });
  }

  #assertFits(offset: number, chunk: Uint8Array): void {
    assertByteCount(this.hash, 'offset', offset);
    const end = offset + chunk.length;
    if (end > this.size) throw new BlobMismatch(this.hash, `${end} bytes came where ${this.size} were announced`);
  }

  async #append(offset: number, chunk: Uint8Array): Promise<number> {
    if (this.#aborted) throw new BlobUploadGone(this.hash);
    if (offset > this.#received) throw new BlobUploadGap(this.hash, this.#received, offset);
    const fresh = chunk.subarray(this.#received - offset);
    if (fresh.length === 0) return this.#received;
    await this.sink.write(fresh, this.#received);
    this.#digest.update(fresh);
    this.#received += fresh.length;
    return this.#received;
  }

  /** Throws before there is an outcome to remember, or gives the outcome. */
  #finish(): Promise<PutOutcome> {
    if (this.#aborted) throw new BlobUploadGone(this.hash);
    if (this.#received < this.size) throw new BlobIncomplete(this.hash, this.#received, this.size);
    const actual = this.#digest.digest('hex');
    return actual === this.hash ? this.sink.keep() : this.#refuse(actual);
  }

  async #refuse(actual: string): Promise<never> {
    const leftover: unknown = await this.sink.discard().catch((error: unknown) => error);
    throw new BlobMismatch(this.hash, `the content's sha256 is ${actual}`, leftover);
  }
}
