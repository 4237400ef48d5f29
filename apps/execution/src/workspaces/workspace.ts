import type { WorkspaceName } from '@retrace/contracts';
import type { StatCache, WorkspaceRoot } from '@retrace/workspace-fs';

/** A workspace that this process has under care: its root is locked by the kernel until `close`. */
export interface Workspace {
  readonly name: WorkspaceName;
  readonly root: WorkspaceRoot;
  readonly epoch: number;
  readonly cache: StatCache;
}

/** Where the blob store, on the same host, finds what lies in staging. */
export const stagingPath = ({ root }: Workspace): string => `${root.path}/.retrace/staging`;
