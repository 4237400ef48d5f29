import type { BlobHash } from '@retrace/contracts';
import { BlobAbsent, BlobCorrupt, BlobError } from '../../blob-errors.js';
import {
  type BlobStats,
  type BlobStore,
  type BlobStoreLimits,
  type BlobUpload,
  DEFAULT_BLOB_STORE_LIMITS,
  type PutOutcome,
  type SourceFile,
  type StoreHealth,
} from '../../blob-store.port.js';
import { assertSize, clampRange } from '../../byte-range.js';
import { OperationGate } from '../../operation-gate.js';
import { assertIntact, assertMatches } from '../../sha256.js';
import { openSource } from '../../source-file.js';
import { CheckedUpload } from '../../uploads/checked-upload.js';
import { MemorySink } from '../../uploads/upload-sink.js';
import { UploadSlots } from '../../uploads/upload-slots.js';

export interface MemoryBlobStoreOptions extends Partial<BlobStoreLimits> {
  /** The contents: pass the same map to a second store to "reopen" it. */
  readonly contents?: Map<string, Uint8Array>;
}

/** Keeps blobs in a map: for tests of services, and the model of the other adapters. */
export class MemoryBlobStore implements BlobStore {
  readonly #gate = new OperationGate();
  readonly #damaged = new Set<string>();
  readonly #limits: BlobStoreLimits;
  readonly #contents: Map<string, Uint8Array>;
  readonly #slots: UploadSlots;

  constructor({ contents, ...limits }: MemoryBlobStoreOptions = {}) {
    this.#limits = { ...DEFAULT_BLOB_STORE_LIMITS, ...limits };
    this.#contents = contents ?? new Map<string, Uint8Array>();
    this.#slots = new UploadSlots(this.#limits.maxUploads, this.#gate);
  }

  has(hash: BlobHash): Promise<boolean> {
    return this.#gate.run(hash, async () => this.#holds(hash));
  }

  put(hash: BlobHash, content: Uint8Array): Promise<PutOutcome> {
    return this.#gate.run(hash, async () => {
      assertSize(hash, content.length, this.#limits.maxBlobBytes);
      return this.#store(hash, new Uint8Array(content));
    });
  }

  openUpload(hash: BlobHash, size: number): Promise<BlobUpload> {
    return this.#gate.run(hash, async () => {
      assertSize(hash, size, this.#limits.maxBlobBytes);
      const sink = new MemorySink(async (content) => this.#store(hash, content));
      return this.#slots.admit(new CheckedUpload(hash, size, sink));
    });
  }

  adoptFile(hash: BlobHash, size: number, path: string): Promise<PutOutcome> {
    return this.#gate.run(hash, async () => {
      assertSize(hash, size, this.#limits.maxBlobBytes);
      return this.#adopt({ hash, size, path });
    });
  }

  adoptFiles(files: readonly SourceFile[]): Promise<(PutOutcome | BlobError)[]> {
    return this.#gate.run(`${files.length} files`, () => Promise.all(files.map((file) => this.#adoptOrTell(file))));
  }

  size(hash: BlobHash): Promise<number | undefined> {
    return this.#gate.run(hash, async () => (this.#holds(hash) ? this.#contents.get(hash)?.length : undefined));
  }

  read(hash: BlobHash, offset: number, length: number): Promise<Uint8Array> {
    return this.#gate.run(hash, async () => {
      const content = this.#verified(hash);
      const range = clampRange(hash, content.length, { offset, length });
      // Never `slice`: on a Buffer it is a window onto the store's own bytes.
      return new Uint8Array(content.subarray(range.offset, range.offset + range.length));
    });
  }

  readAll(hash: BlobHash): Promise<Uint8Array> {
    return this.#gate.run(hash, async () => new Uint8Array(this.#verified(hash)));
  }

  stats(): Promise<BlobStats> {
    return this.#gate.run('stats', async () => {
      const sizes = [...this.#contents.values()].map((content) => content.length);
      return { blobs: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
    });
  }

  async close(): Promise<void> {
    await this.#gate.close();
    await this.#slots.abortAll();
  }

  check(): Promise<StoreHealth> {
    return this.#gate.run('a check', async () => ({
      place: 'memory',
      disk: undefined,
      index: 'present',
      probe: { bytes: 0 },
    }));
  }

  async #adopt(source: SourceFile): Promise<PutOutcome> {
    const handle = await openSource(source);
    try {
      return this.#store(source.hash, new Uint8Array(await handle.readFile()));
    } finally {
      await handle.close();
    }
  }

  async #adoptOrTell(source: SourceFile): Promise<PutOutcome | BlobError> {
    try {
      assertSize(source.hash, source.size, this.#limits.maxBlobBytes);
      return await this.#adopt(source);
    } catch (error) {
      if (error instanceof BlobError) return error;
      throw error;
    }
  }

  #holds(hash: BlobHash): boolean {
    return this.#contents.has(hash) && !this.#damaged.has(hash);
  }

  #store(hash: BlobHash, content: Uint8Array): PutOutcome {
    assertMatches(hash, content);
    if (this.#holds(hash)) return 'present';
    this.#contents.set(hash, content);
    this.#damaged.delete(hash);
    return 'stored';
  }

  #verified(hash: BlobHash): Uint8Array {
    const content = this.#contents.get(hash);
    if (!content) throw new BlobAbsent(hash);
    try {
      assertIntact(hash, content);
    } catch (error) {
      if (error instanceof BlobCorrupt) this.#damaged.add(hash);
      throw error;
    }
    return content;
  }
}
