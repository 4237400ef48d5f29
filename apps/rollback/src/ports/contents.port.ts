import type { FileState, WorkspaceName } from '@retrace/contracts';

/** The bytes of files: kept ones by their hash, and those that stand on the disk. */
export abstract class Contents {
  /** `undefined` where the store does not hold it. */
  abstract kept(workspace: WorkspaceName, file: FileState): Promise<Uint8Array | undefined>;
  /** `undefined` where the path does not hold exactly this. */
  abstract standing(workspace: WorkspaceName, path: string, file: FileState): Promise<Uint8Array | undefined>;
  /** Resolves once the content is durable. */
  abstract keep(workspace: WorkspaceName, hash: string, bytes: Uint8Array): Promise<void>;
}
