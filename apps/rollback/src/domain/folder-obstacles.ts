import { ABSENT, parentPath, type PathState, type WorkspacePath } from '@retrace/contracts';
import { folderMissing, folderRemoved, notEmpty, type Obstacle } from './obstacle.js';
import type { IndexedOperation } from './operation-index.js';
import type { SimulatedTree } from './simulated-tree.js';
import type { Standing } from './standing.js';

/** What folders allow: one that goes is empty, and one in which something comes stands. */
export class FolderObstacles {
  constructor(
    private readonly tree: SimulatedTree,
    private readonly standing: Standing,
  ) {}

  /** What bringing a path from one state to another would break. */
  to(path: WorkspacePath, from: PathState, restore: PathState): Obstacle | undefined {
    if (from.kind === 'directory' && restore.kind !== 'directory') return this.stranger(path);
    return restore.kind === 'absent' ? undefined : this.missingFolder(path, from);
  }

  private stranger(folder: string): Obstacle | undefined {
    const child = this.tree.standingUnder(folder);
    if (!child) return undefined;
    const last = this.standing.at(child.path).at(-1);
    return notEmpty(folder, child, last && last.after.kind !== 'absent' ? last : undefined);
  }

  /** A folder above that nobody recorded and nobody looked at is taken to stand. */
  private missingFolder(path: WorkspacePath, from: PathState): Obstacle | undefined {
    const folder = parentPath(path);
    const found = folder === undefined ? undefined : this.tree.state(folder);
    if (folder === undefined || !found || found.kind === 'directory') return undefined;
    for (let above: string | undefined = folder; above !== undefined; above = parentPath(above)) {
      const remover = this.removerOf(above);
      if (remover) return folderRemoved(path, remover, this.tree.state(above) ?? ABSENT);
    }
    return folderMissing(path, from, folder, found);
  }

  /** The recorded change that took a folder away, if none made it again since. */
  private removerOf(folder: string): IndexedOperation | undefined {
    for (const operation of this.standing.at(folder).toReversed()) {
      if (operation.after.kind === 'directory') return undefined;
      if (operation.before.kind === 'directory') return operation;
    }
    return undefined;
  }
}
