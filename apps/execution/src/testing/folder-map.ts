import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { BlobHash } from '@retrace/contracts';

/** Content by hash in a folder: it outlives the process that is killed. */
export class FolderMap extends Map<BlobHash, Uint8Array> {
  constructor(private readonly folder: string) {
    super();
    mkdirSync(folder, { recursive: true });
  }

  override has(hash: BlobHash): boolean {
    return existsSync(this.fileOf(hash));
  }

  override get(hash: BlobHash): Uint8Array | undefined {
    return this.has(hash) ? readFileSync(this.fileOf(hash)) : undefined;
  }

  override set(hash: BlobHash, content: Uint8Array): this {
    const part = `${this.fileOf(hash)}.part`;
    writeFileSync(part, content);
    renameSync(part, this.fileOf(hash));
    return this;
  }

  override delete(hash: BlobHash): boolean {
    const there = this.has(hash);
    rmSync(this.fileOf(hash), { force: true });
    return there;
  }

  private fileOf = (hash: BlobHash): string => `${this.folder}/${hash}`;
}
