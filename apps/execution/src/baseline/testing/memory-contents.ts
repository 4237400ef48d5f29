import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type BlobHash, RetraceError } from '@retrace/contracts';
import { BaselineContents, type FileToStore } from '../baseline-contents.port.js';

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Takes over files as the snapshot service does: what it reads by itself must be what was announced. */
export class MemoryContents extends BaselineContents {
  down = false;
  /** Runs before files are taken over: what others do meanwhile. */
  onStore: (files: readonly FileToStore[]) => void = () => undefined;

  constructor(readonly content: Map<BlobHash, Uint8Array> = new Map()) {
    super();
  }

  async storeFiles(root: { path: string }, files: readonly FileToStore[]) {
    await this.answer();
    this.onStore(files);
    return files.map(({ path, state }) => {
      const found = readFileSync(`${root.path}/${path}`);
      if (hashOf(found) !== state.hash || found.length !== state.size) return 'changed' as const;
      this.content.set(state.hash, found);
      return undefined;
    });
  }

  async put(hash: BlobHash, content: Uint8Array): Promise<void> {
    await this.answer();
    if (hashOf(content) !== hash) throw new RetraceError('blob_mismatch', 'not this content');
    this.content.set(hash, Buffer.from(content));
  }

  async get(hash: BlobHash): Promise<Uint8Array> {
    await this.answer();
    const content = this.content.get(hash);
    if (!content) throw new RetraceError('blob_absent', hash);
    return content;
  }

  private answer(): Promise<void> {
    return this.down ? Promise.reject(new RetraceError('unavailable', 'the blob store is away')) : Promise.resolve();
  }
}
