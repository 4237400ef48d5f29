import type { FileHandle } from 'node:fs/promises';
import type { BlobHash } from '@retrace/contracts';
import { BlobCorrupt } from '../../blob-errors.js';
import type { ByteRange } from '../../byte-range.js';
import { Limiter } from '../../limiter.js';
import type { BlobFiles } from './blob-files.js';
import { hashFile, readFully } from './file-bytes.js';
import { type FileIdentity, identify, VerifiedIdentities } from './verified-identities.js';

const OPEN_FILES = 32;
const REMEMBERED_FILES = 4096;
const ATTEMPTS = 3;

/** Reads large blobs so that no byte leaves before the whole file was checked against its hash. */
export class BlobFileReader {
  readonly #verified = new VerifiedIdentities(REMEMBERED_FILES);
  readonly #verifying = new Map<string, Promise<void>>();
  readonly #limiter = new Limiter(OPEN_FILES);

  constructor(private readonly files: BlobFiles) {}

  /** Reads and hashes the whole file, each time. Throws BlobCorrupt. */
  readAll(hash: BlobHash, size: number): Promise<Uint8Array> {
    return this.#withFile(hash, async (handle) => {
      await assertStoredSize(handle, hash, size);
      const content = new Uint8Array(size);
      const actual = await hashFile(handle, size, content);
      // Decaying media change bytes and leave the times alone: what is found here outweighs what is remembered.
      if (actual !== hash) this.#verified.forget(hash);
      assertHash(hash, actual);
      return content;
    });
  }

  /** Reads a range that lies within the file; hashes the file first unless it is known unchanged. Throws BlobCorrupt. */
  async read(hash: BlobHash, size: number, range: ByteRange): Promise<Uint8Array> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const bytes = await this.#withFile(hash, (handle) => this.#readUnchanged(handle, hash, size, range));
      if (bytes) return bytes;
    }
    throw new BlobCorrupt(hash, 'its file keeps changing while it is read');
  }

  /** Answers undefined where the file was touched meanwhile, be it by a backup that only set a time or a link. */
  async #readUnchanged(
    handle: FileHandle,
    hash: BlobHash,
    size: number,
    range: ByteRange,
  ): Promise<Uint8Array | undefined> {
    const before = await identify(handle);
    if (!this.#verified.has(hash, before)) await this.#verify(handle, hash, size, before);
    const bytes = new Uint8Array(range.length);
    await readFully(handle, bytes, range.offset);
    return (await identify(handle)).key === before.key ? bytes : undefined;
  }

  async #withFile<T>(hash: BlobHash, use: (handle: FileHandle) => Promise<T>): Promise<T> {
    return this.#limiter.run(async () => {
      const handle = await this.files.openBlob(hash).catch((error: unknown) => {
        throw isMissing(error) ? new BlobCorrupt(hash, 'its file is missing', error) : error;
      });
      try {
        return await use(handle);
      } finally {
        await handle.close();
      }
    });
  }

  /** Many ranges of one file are often asked for at once: they share one pass over it. */
  async #verify(handle: FileHandle, hash: BlobHash, size: number, identity: FileIdentity): Promise<void> {
    const pass = this.#verifying.get(identity.key) ?? this.#hashPass(handle, hash, size, identity);
    this.#verifying.set(identity.key, pass);
    try {
      await pass;
    } finally {
      this.#verifying.delete(identity.key);
    }
  }

  async #hashPass(handle: FileHandle, hash: BlobHash, size: number, identity: FileIdentity): Promise<void> {
    await assertStoredSize(handle, hash, size);
    assertHash(hash, await hashFile(handle, size));
    this.#verified.add(hash, identity);
  }
}

/** Looked at before anything is allocated for it. */
async function assertStoredSize(handle: FileHandle, hash: BlobHash, size: number): Promise<void> {
  const found = (await handle.stat()).size;
  if (found !== size) throw new BlobCorrupt(hash, `its file has ${found} bytes instead of ${size}`);
}

function assertHash(hash: BlobHash, actual: string | undefined): void {
  if (actual === undefined) throw new BlobCorrupt(hash, 'its file became shorter while it was read');
  if (actual !== hash) throw new BlobCorrupt(hash, `its file has the sha256 ${actual}`);
}

function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
