import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobHash } from '@retrace/contracts';
import { failpoint } from '@retrace/platform/failpoint';
import { type Durability, syncFolder } from './durability.js';
import { readFully } from './file-bytes.js';
import { TempFile } from './temp-file.js';

const PRIVATE_FOLDER = 0o700;

/** Large contents as `files/ab/cdef…`, each put in place by a rename so that a name never shows half a content. */
export class BlobFiles {
  private constructor(
    private readonly folder: string,
    private readonly durability: Durability,
  ) {}

  /** Prepares the folders and removes what uploads of a dead process left behind. The folder has one owner. */
  static async open(folder: string, durability: Durability): Promise<BlobFiles> {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    await rm(join(folder, 'tmp'), { recursive: true, force: true });
    await mkdir(join(folder, 'tmp'), { mode: PRIVATE_FOLDER });
    // All shards at once: made on demand, one put could rely on a shard whose name another has yet to sync.
    await Promise.all(
      shards().map((shard) => mkdir(join(folder, 'files', shard), { recursive: true, mode: PRIVATE_FOLDER })),
    );
    const files = new BlobFiles(folder, durability);
    await files.#sync(join(folder, 'files'), folder, dirname(folder));
    return files;
  }

  createTemp(): Promise<TempFile> {
    return TempFile.create(this.#tempPath());
  }

  copyToTemp(source: FileHandle): Promise<TempFile> {
    return TempFile.copyOf(source, this.#tempPath());
  }

  /** Gives verified bytes their place; removes them when that fails. They become a blob by the index entry alone. */
  async place(temp: TempFile, hash: BlobHash): Promise<void> {
    const path = this.pathOf(hash);
    try {
      if (this.durability === 'power') await temp.handle.sync();
      failpoint('blob.before-rename');
      await rename(temp.path, path);
    } catch (error) {
      await temp.remove();
      throw error;
    }
    await temp.handle.close();
    await this.#sync(dirname(path));
  }

  /** Writes bytes as those of a blob are written, reads them back and removes them. Throws where they are not the same. */
  async probe(bytes: Uint8Array): Promise<void> {
    const temp = await this.createTemp();
    try {
      await temp.write(bytes, 0);
      await temp.handle.sync();
      const back = new Uint8Array(bytes.length);
      if ((await readFully(temp.handle, back, 0)) < bytes.length || Buffer.compare(bytes, back) !== 0)
        throw new Error('what was read back is not what was written');
    } finally {
      await temp.remove();
    }
  }

  /** Bytes of the disk, and those that this process may still fill. */
  async disk(): Promise<{ total: number; free: number }> {
    const { bsize, blocks, bavail } = await statfs(this.folder);
    return { total: bsize * blocks, free: bsize * bavail };
  }

  openBlob(hash: BlobHash): Promise<FileHandle> {
    return open(this.pathOf(hash), 'r');
  }

  pathOf(hash: BlobHash): string {
    return join(this.folder, 'files', hash.slice(0, 2), hash.slice(2));
  }

  #tempPath(): string {
    return join(this.folder, 'tmp', randomUUID());
  }

  async #sync(...folders: string[]): Promise<void> {
    if (this.durability === 'power') for (const folder of folders) await syncFolder(folder);
  }
}

function shards(): string[] {
  return Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
}
