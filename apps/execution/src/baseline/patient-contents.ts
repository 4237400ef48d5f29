import type { BlobHash } from '@retrace/contracts';
import { BaselineContents, type FileToStore } from './baseline-contents.port.js';
import { isPassing, patiently } from './patiently.js';

/** Waits for a blob store that is away or full. */
export class PatientContents extends BaselineContents {
  constructor(
    private readonly contents: BaselineContents,
    private readonly signal: AbortSignal,
    private readonly waits: (error: unknown) => void,
  ) {
    super();
  }

  storeFiles(root: { path: string; rootFd: number }, files: readonly FileToStore[]) {
    return this.until(() => this.contents.storeFiles(root, files));
  }

  put(hash: BlobHash, content: Uint8Array): Promise<void> {
    return this.until(() => this.contents.put(hash, content));
  }

  get(hash: BlobHash, size: number): Promise<Uint8Array> {
    return this.until(() => this.contents.get(hash, size));
  }

  private until<T>(work: () => Promise<T>): Promise<T> {
    return patiently(work, isPassing, this.signal, this.waits);
  }
}
