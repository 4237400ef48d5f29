import { createHash } from 'node:crypto';
import type { FileState, PathState, WorkspaceName } from '@retrace/contracts';
import { BlobHashSchema } from '@retrace/contracts';
import type { Contents } from '../ports/contents.port.js';

/** Contents in memory: kept ones by hash, and those that stand at paths. */
export class MemoryContents implements Contents {
  readonly blobs = new Map<string, Uint8Array>();
  readonly disk = new Map<string, Uint8Array>();

  /** The state of a file with this text, whose content is kept. */
  put(text: string | Uint8Array): PathState & FileState {
    const bytes = Buffer.from(text);
    const hash = BlobHashSchema.parse(createHash('sha256').update(bytes).digest('hex'));
    this.blobs.set(hash, bytes);
    return { kind: 'file', hash, size: bytes.length, mode: 0o644 };
  }

  /** The same, but the content stands on the disk alone. */
  stand(path: string, text: string | Uint8Array): PathState & FileState {
    const state = this.put(text);
    this.disk.set(path, this.blobs.get(state.hash)!);
    this.blobs.delete(state.hash);
    return state;
  }

  text(state: PathState): string | undefined {
    const bytes = state.kind === 'file' ? this.blobs.get(state.hash) : undefined;
    return bytes && Buffer.from(bytes).toString();
  }

  kept(_: WorkspaceName, { hash }: FileState): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.blobs.get(hash));
  }

  standing(_: WorkspaceName, path: string, { hash }: FileState): Promise<Uint8Array | undefined> {
    const bytes = this.disk.get(path);
    const same = bytes && createHash('sha256').update(bytes).digest('hex') === hash;
    return Promise.resolve(same ? bytes : undefined);
  }

  keep(_: WorkspaceName, hash: string, bytes: Uint8Array): Promise<void> {
    this.blobs.set(hash, bytes);
    return Promise.resolve();
  }
}
