import { ABSENT, type OperationId, parentPath, samePathState } from '@retrace/contracts';
import type { History } from './history.js';
import {
  alreadyUndone,
  builtOn,
  changedOutside,
  folderMissing,
  folderRemoved,
  notEmpty,
  type Obstacle,
} from './obstacle.js';
import { type IndexedOperation, makesFolder } from './operation-index.js';
import type { SelectedUnit } from './selected-units.js';
import type { SimulatedTree } from './simulated-tree.js';

/** Goes back through the past, newest first, over a simulated tree. */
export class ReverseWalk {
  /** What is taken back at each path, newest first. */
  readonly chains = new Map<string, IndexedOperation[]>();
  private readonly taken = new Set<OperationId>();
  /** Live operations per path that are not taken back, oldest first; the newest ones go as they are taken back. */
  private readonly standing = new Map<string, IndexedOperation[]>();

  constructor(
    private readonly history: History,
    private readonly tree: SimulatedTree,
  ) {}

  /** Takes a unit back whole, or answers why not and changes nothing. Units come newest first. */
  takeBack(unit: SelectedUnit): Obstacle | undefined {
    const live = unit.operations.filter((operation) => this.history.isLive(operation));
    if (live.length === 0) return this.undone(unit.operations[0]!);
    const restore = this.tree.savepoint(live.map(({ path }) => path));
    for (const [done, operation] of live.entries()) {
      const obstacle = this.obstacleTo(operation);
      if (obstacle) {
        restore();
        for (const { operation_id } of live.slice(0, done)) this.taken.delete(operation_id);
        return obstacle;
      }
      this.tree.set(operation.path, operation.before);
      this.taken.add(operation.operation_id);
    }
    for (const operation of live) this.link(operation);
    return undefined;
  }

  private link(operation: IndexedOperation): void {
    const chain = this.chains.get(operation.path);
    if (chain) chain.push(operation);
    else this.chains.set(operation.path, [operation]);
    const standing = this.standingAt(operation.path);
    while (standing.length > 0 && this.taken.has(standing.at(-1)!.operation_id)) standing.pop();
  }

  private standingAt(path: string): IndexedOperation[] {
    const known = this.standing.get(path);
    if (known) return known;
    const standing = this.history.liveAt(path);
    this.standing.set(path, standing);
    return standing;
  }

  private obstacleTo(operation: IndexedOperation): Obstacle | undefined {
    const { path, before, after } = operation;
    const found = this.tree.state(path) ?? ABSENT;
    const later = this.laterThan(operation);
    if (later) return builtOn(operation, later, found);
    if (!samePathState(found, after)) return changedOutside(path, after, found);
    if (makesFolder(operation)) return this.stranger(operation);
    if (before.kind !== 'absent') return this.missingFolder(operation);
    return undefined;
  }

  /** The newest live change of the path that stays and does more than take back what came after this operation. */
  private laterThan(operation: IndexedOperation): IndexedOperation | undefined {
    const standing = this.standingAt(operation.path);
    for (let at = standing.length - 1; at >= 0; at--) {
      const later = standing[at]!;
      if (later.operation_id === operation.operation_id) return undefined;
      if (!this.taken.has(later.operation_id) && !this.history.isNeutralTo(operation, later)) return later;
    }
    return undefined;
  }

  private stranger(folder: IndexedOperation): Obstacle | undefined {
    for (const child of this.tree.standingUnder(folder.path)) {
      const last = this.untakenAt(child.path).at(-1);
      return notEmpty(folder, child, last && last.after.kind !== 'absent' ? last : undefined);
    }
    return undefined;
  }

  /** A folder above that nobody recorded and nobody looked at is taken to stand. */
  private missingFolder(operation: IndexedOperation): Obstacle | undefined {
    const folder = parentPath(operation.path);
    const found = folder === undefined ? undefined : this.tree.state(folder);
    if (folder === undefined || !found || found.kind === 'directory') return undefined;
    for (let above: string | undefined = folder; above !== undefined; above = parentPath(above)) {
      const remover = this.removerOf(above);
      if (remover) return folderRemoved(operation, remover, this.tree.state(above) ?? ABSENT);
    }
    return folderMissing(operation, folder, found);
  }

  /** The recorded change that took a folder away, if none made it again since. */
  private removerOf(folder: string): IndexedOperation | undefined {
    for (const operation of this.untakenAt(folder).toReversed()) {
      if (operation.after.kind === 'directory') return undefined;
      if (operation.before.kind === 'directory') return operation;
    }
    return undefined;
  }

  private untakenAt(path: string): IndexedOperation[] {
    return this.standingAt(path).filter(({ operation_id }) => !this.taken.has(operation_id));
  }

  private undone(operation: IndexedOperation): Obstacle {
    return alreadyUndone(operation, this.tree.state(operation.path) ?? ABSENT, this.history.takenBackBy(operation));
  }
}
