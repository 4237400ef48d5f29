import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobHash } from '@retrace/contracts';
import { type Durability, syncFolder } from './durability.js';
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

  copyToTemp(source: string): Promise<TempFile> {
    return TempFile.copyOf(source, this.#tempPath());
  }

  /** Gives verified bytes their place; removes them when that fails. They become a blob by the index entry alone. */
  async place(temp: TempFile, hash: BlobHash): Promise<void> {
    const path = this.pathOf(hash);
    try {
      if (this.durability === 'power') await temp.handle.sync();
      await rename(temp.path, path);
    } catch (error) {
      await temp.remove();
      throw error;
    }
    await temp.handle.close();
    await this.#sync(dirname(path));
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
