import type { BlobHash, Fact, WorkspaceName, WorkspacePath } from '@retrace/contracts';
import type { Listings } from '../domain/unrecorded-entries.js';

/** What stands on the disk, and which contents are kept. Both fail with `unavailable` where nobody can say. */
export abstract class WorkspaceFacts {
  /** Facts of the paths themselves, links not followed. */
  abstract facts(workspace: WorkspaceName, paths: readonly WorkspacePath[]): Promise<Fact[]>;
  /** What lies in these folders; one that is none any more, or cannot be listed, is missing. */
  abstract listings(workspace: WorkspaceName, folders: readonly WorkspacePath[]): Promise<Listings>;
  /** Which of these the blob store does not hold. */
  abstract missing(workspace: WorkspaceName, hashes: readonly BlobHash[]): Promise<BlobHash[]>;
}
