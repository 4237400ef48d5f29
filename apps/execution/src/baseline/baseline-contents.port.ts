import type { BlobHash, FileState } from '@retrace/contracts';

export interface FileToStore {
  /** Beneath the workspace's root. */
  readonly path: string;
  readonly state: FileState;
}

/** Content on its way into the blob store, and back. All reject with `unavailable` and the like where a retry helps. */
export abstract class BaselineContents {
  /**
   * Stores what stands in files of a workspace; undefined where it did, else why not. `changed`: the file is not what
   * was announced. `signal` ends the waiting; no handle is in use any more when it rejects.
   */
  abstract storeFiles(
    root: { readonly path: string; readonly rootFd: number },
    files: readonly FileToStore[],
    signal: AbortSignal,
  ): Promise<(undefined | 'changed' | { readonly why: string })[]>;
  abstract put(hash: BlobHash, content: Uint8Array): Promise<void>;
  abstract get(hash: BlobHash, size: number): Promise<Uint8Array>;
}
