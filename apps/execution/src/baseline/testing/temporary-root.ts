import { openWorkspaceRoot, type WorkspaceRoot } from '@retrace/workspace-fs';
import { WorkspaceFolder } from '../../testing/workspace-folder.js';

export interface TemporaryRoot {
  readonly root: WorkspaceRoot;
  dispose(): void;
}

export function temporaryRoot(): TemporaryRoot {
  const folder = new WorkspaceFolder();
  const root = openWorkspaceRoot(folder.root);
  return {
    root,
    dispose() {
      root.close();
      folder.dispose();
    },
  };
}
