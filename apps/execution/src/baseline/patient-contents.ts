import type { BlobHash } from '@retrace/contracts';
import { unlessAborted } from '../publishing/unless-aborted.js';
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
    return this.until(() => this.contents.storeFiles(root, files, this.signal));
  }

  put(hash: BlobHash, content: Uint8Array): Promise<void> {
    return this.until(() => unlessAborted(this.contents.put(hash, content), this.signal));
  }

  get(hash: BlobHash, size: number): Promise<Uint8Array> {
    return this.until(() => unlessAborted(this.contents.get(hash, size), this.signal));
  }

  private until<T>(work: () => Promise<T>): Promise<T> {
    return patiently(work, isPassing, this.signal, this.waits);
  }
}
