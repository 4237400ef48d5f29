import type { FileHandle } from 'node:fs/promises';
import type { BlobHash } from '@retrace/contracts';
import { failpoint } from '@retrace/platform/failpoint';
import { BlobMismatch } from '../../blob-errors.js';
import type { PutOutcome, SourceFile } from '../../blob-store.port.js';
import { Limiter } from '../../limiter.js';
import { assertMatches } from '../../sha256.js';
import { openSource, readSmallSource } from '../../source-file.js';
import { CheckedUpload } from '../../uploads/checked-upload.js';
import { KeyedLanes } from '../../uploads/keyed-lanes.js';
import { MemorySink } from '../../uploads/upload-sink.js';
import type { BlobFiles } from './blob-files.js';
import type { BlobIndex } from './blob-index.js';
import { hashFile, SLICE_BYTES } from './file-bytes.js';
import { FileSink } from './file-sink.js';
import type { TempFile } from './temp-file.js';

/** Contents up to this many bytes live in the database, larger ones in files. */
export const SMALL_BLOB_BYTES = 64 * 1024;
const OPEN_FILES = 16;

/** Brings contents in. The order is always: bytes verified, bytes in place, index entry. */
export class BlobWriter {
  readonly #limiter = new Limiter(OPEN_FILES);
  readonly #installs = new KeyedLanes();

  constructor(
    private readonly index: BlobIndex,
    private readonly files: BlobFiles,
  ) {}

  async put(hash: BlobHash, content: Uint8Array): Promise<PutOutcome> {
    if (content.length > SMALL_BLOB_BYTES) return this.#limiter.run(() => this.#putLarge(hash, content));
    return this.#putSmall(hash, new Uint8Array(content));
  }

  upload(hash: BlobHash, size: number): CheckedUpload {
    const sink =
      size <= SMALL_BLOB_BYTES
        ? new MemorySink((content) => this.#putSmall(hash, content))
        : new FileSink(
            () => this.files.createTemp(),
            (temp) => this.#install(temp, hash, size),
          );
    return new CheckedUpload(hash, size, sink);
  }

  /** Takes over a file. What is verified is the copy: the source may change meanwhile. */
  async adopt(source: SourceFile): Promise<PutOutcome> {
    if (source.size <= SMALL_BLOB_BYTES) return this.#putSmall(source.hash, readSmallSource(source));
    return this.#limiter.run(() => this.#adoptLarge(source));
  }

  async #adoptLarge(source: SourceFile): Promise<PutOutcome> {
    const { hash, size } = source;
    const handle = await openSource(source);
    try {
      // Nothing is copied for what is there; that the source is that content is verified all the same.
      if (this.index.has(hash)) {
        await assertHashes(handle, source);
        return 'present';
      }
      const temp = await this.files.copyToTemp(handle);
      failpoint('blob.after-copy');
      await removedOnError(temp, () => assertHashes(temp.handle, source));
      return await this.#install(temp, hash, size);
    } finally {
      await handle.close();
    }
  }

  /** The database writes from the caller's memory later on: the content given here must be the store's own copy. */
  async #putSmall(hash: BlobHash, own: Uint8Array): Promise<PutOutcome> {
    assertMatches(hash, own);
    return this.index.has(hash) ? 'present' : this.index.add(hash, own.length, own);
  }

  async #putLarge(hash: BlobHash, content: Uint8Array): Promise<PutOutcome> {
    const upload = this.upload(hash, content.length);
    try {
      for (let offset = 0; offset < content.length; offset += SLICE_BYTES) {
        await upload.append(offset, content.subarray(offset, offset + SLICE_BYTES));
      }
      return await upload.commit();
    } finally {
      await upload.abort();
    }
  }

  /** One at a time per hash: a second file renamed over the first would pull it away from under its readers. */
  #install(temp: TempFile, hash: BlobHash, size: number): Promise<PutOutcome> {
    return this.#installs.run(hash, async () => {
      if (this.index.has(hash)) {
        await temp.remove();
        return 'present';
      }
      await this.files.place(temp, hash);
      failpoint('blob.after-rename');
      return this.index.add(hash, size);
    });
  }
}

async function assertHashes(handle: FileHandle, { hash, size, path }: SourceFile): Promise<void> {
  const actual = await hashFile(handle, size);
  if (actual === hash) return;
  throw new BlobMismatch(hash, actual ? `${path} has the sha256 ${actual}` : `${path} changed its size`);
}

async function removedOnError(temp: TempFile, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    await temp.remove();
    throw error;
  }
}
