import type { ReadableStream } from 'node:stream/web';
import { type BlobHash, FsList, FsStat, type PathState } from '@retrace/contracts';
import type { z } from 'zod';
import type { WorkspaceCalls } from '../workspace-calls.js';
import { type FileContent, readBlob, readBlobChunks, readFile, readFileChunks } from './read-ranges.js';
import { streamOf } from './stream-of.js';

export type FolderEntry = z.infer<(typeof FsList)['reply']>['entries'][number];
export type PathStatus = z.infer<(typeof FsStat)['reply']>;

export interface StatOptions {
  /** `false`: a link itself, not what it names. */
  readonly follow?: boolean | undefined;
}

/** Reads what stands in a workspace, and recorded content. */
export class Files {
  constructor(private readonly calls: WorkspaceCalls) {}

  read(path: string): Promise<FileContent> {
    return readFile(this.calls.raw, this.calls.workspace, path);
  }

  readStream(path: string): ReadableStream<Uint8Array> {
    return streamOf(this.chunks(path));
  }

  /** Hands over the state that all chunks belong to after the last one. */
  chunks(path: string, onState?: (state: PathState) => void): AsyncGenerator<Uint8Array> {
    return readFileChunks(this.calls.raw, this.calls.workspace, path, onState);
  }

  readBlob(hash: BlobHash): Promise<Uint8Array> {
    return readBlob(this.calls.raw, this.calls.workspace, hash);
  }

  readBlobStream(hash: BlobHash): ReadableStream<Uint8Array> {
    return streamOf(readBlobChunks(this.calls.raw, this.calls.workspace, hash));
  }

  stat(path: string, { follow }: StatOptions = {}): Promise<PathStatus> {
    return this.calls.call(FsStat, follow === undefined ? { path } : { path, follow });
  }

  /** All pages of it. */
  async list(path: string): Promise<FolderEntry[]> {
    const found: FolderEntry[] = [];
    let after: string | null = null;
    do {
      const page: z.infer<(typeof FsList)['reply']> = await this.calls.call(
        FsList,
        after === null ? { path } : { path, after },
      );
      found.push(...page.entries);
      after = page.next;
    } while (after !== null);
    return found;
  }
}
