import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { BlobHash } from '@retrace/contracts';
import { BlobAbsent, BlobCorrupt, type BlobError, BlobStoreUnusable } from '../../blob-errors.js';
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
import { assertIntact } from '../../sha256.js';
import { UploadSlots } from '../../uploads/upload-slots.js';
import { ManyFiles } from './adopt-many.js';
import { BlobFileReader } from './blob-file-reader.js';
import { BlobFiles } from './blob-files.js';
import { BlobIndex } from './blob-index.js';
import { BlobWriter } from './blob-writer.js';
import { type Durability, syncFolder } from './durability.js';

/** Enough for a file of its own, little enough to cost nothing. */
const PROBE_BYTES = 128 * 1024;

export interface HotBlobStoreOptions extends Partial<BlobStoreLimits> {
  /** Made if missing. One process owns it at a time: opening removes unfinished uploads. */
  readonly folder: string;
  readonly durability: Durability;
}

/** The tier on the workspace's own host: small contents in LMDB, large ones in files beside it. */
export class HotBlobStore implements BlobStore {
  readonly #gate = new OperationGate();
  readonly #limits: BlobStoreLimits;
  readonly #slots: UploadSlots;
  readonly #writer: BlobWriter;
  readonly #reader: BlobFileReader;

  private constructor(
    private readonly folder: string,
    private readonly index: BlobIndex,
    private readonly files: BlobFiles,
    limits: Partial<BlobStoreLimits>,
  ) {
    this.#limits = { ...DEFAULT_BLOB_STORE_LIMITS, ...limits };
    this.#slots = new UploadSlots(this.#limits.maxUploads, this.#gate);
    this.#writer = new BlobWriter(index, files);
    this.#reader = new BlobFileReader(files);
  }

  /** Opens or creates a store. Throws BlobStoreUnusable. */
  static async open({ folder, durability, ...limits }: HotBlobStoreOptions): Promise<HotBlobStore> {
    try {
      const files = await BlobFiles.open(folder, durability);
      const index = BlobIndex.open(join(folder, 'index.mdb'), durability);
      if (durability === 'power') await syncFolder(folder);
      return new HotBlobStore(folder, index, files, limits);
    } catch (error) {
      throw new BlobStoreUnusable(folder, error);
    }
  }

  has(hash: BlobHash): Promise<boolean> {
    return this.#gate.run(hash, async () => this.index.has(hash));
  }

  put(hash: BlobHash, content: Uint8Array): Promise<PutOutcome> {
    return this.#gate.run(hash, async () => {
      assertSize(hash, content.length, this.#limits.maxBlobBytes);
      return this.#writer.put(hash, content);
    });
  }

  openUpload(hash: BlobHash, size: number): Promise<BlobUpload> {
    return this.#gate.run(hash, async () => {
      assertSize(hash, size, this.#limits.maxBlobBytes);
      return this.#slots.admit(this.#writer.upload(hash, size));
    });
  }

  adoptFile(hash: BlobHash, size: number, path: string): Promise<PutOutcome> {
    return this.#gate.run(hash, async () => {
      assertSize(hash, size, this.#limits.maxBlobBytes);
      return this.#writer.adopt({ hash, size, path });
    });
  }

  adoptFiles(files: readonly SourceFile[]): Promise<(PutOutcome | BlobError)[]> {
    const subject = `${files.length} files`;
    return this.#gate.run(subject, () =>
      new ManyFiles(this.index, this.#writer, this.#limits.maxBlobBytes).adopt(files),
    );
  }

  size(hash: BlobHash): Promise<number | undefined> {
    return this.#gate.run(hash, async () => (this.index.has(hash) ? this.index.sizeOf(hash) : undefined));
  }

  read(hash: BlobHash, offset: number, length: number): Promise<Uint8Array> {
    return this.#reading(hash, async (size, small) => {
      const range = clampRange(hash, size, { offset, length });
      return small ? small.slice(range.offset, range.offset + range.length) : this.#reader.read(hash, size, range);
    });
  }

  readAll(hash: BlobHash): Promise<Uint8Array> {
    return this.#reading(hash, async (size, small) => small ?? this.#reader.readAll(hash, size));
  }

  stats(): Promise<BlobStats> {
    return this.#gate.run('stats', async () => this.index.stats);
  }

  check(): Promise<StoreHealth> {
    return this.#gate.run('a check', async () => ({
      place: this.folder,
      disk: await this.files.disk().catch(() => undefined),
      index: this.index.inPlace ? 'present' : 'gone',
      probe: await this.#probe(),
    }));
  }

  async #probe(): Promise<StoreHealth['probe']> {
    const bytes = randomBytes(PROBE_BYTES);
    try {
      await this.files.probe(bytes);
      await this.index.probe(bytes.readUInt32LE());
      return { bytes: PROBE_BYTES };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }

  async close(): Promise<void> {
    await this.#gate.close();
    await this.#slots.abortAll();
    await this.index.close();
  }

  /** Finds a blob, verified already where the database has it; a blob found damaged counts as absent from then on. */
  #reading(
    hash: BlobHash,
    read: (size: number, small: Uint8Array | undefined) => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    return this.#gate.run(hash, async () => {
      const size = this.index.sizeOf(hash);
      if (size === undefined) throw new BlobAbsent(hash);
      try {
        const small = this.index.contentOf(hash);
        if (small) assertIntact(hash, small);
        const bytes = await read(size, small);
        this.index.mark(hash, 'intact');
        return bytes;
      } catch (error) {
        if (error instanceof BlobCorrupt) this.index.mark(hash, 'damaged');
        throw error;
      }
    });
  }
}
