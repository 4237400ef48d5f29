import { ABSENT, type OperationId, type RollbackOptions } from '@retrace/contracts';
import { Chains } from './chains.js';
import { FolderObstacles } from './folder-obstacles.js';
import type { History } from './history.js';
import { movesObject } from './move-pairs.js';
import { alreadyUndone, type Obstacle } from './obstacle.js';
import type { IndexedOperation } from './operation-index.js';
import { pathGroups } from './path-groups.js';
import type { SelectedUnit } from './selected-units.js';
import type { SimulatedTree } from './simulated-tree.js';
import { Standing } from './standing.js';
import type { MergeRequest, Merges } from './state-merge.js';
import { type PathChange, type WayBack, WayFinder } from './way-back.js';

export interface WalkSettings {
  readonly options: Pick<RollbackOptions, 'merge' | 'force' | 'skip'>;
  readonly merges: Merges;
  /** Operations that cannot be taken back, as earlier walks showed. */
  readonly barred: ReadonlyMap<OperationId, Obstacle>;
}

/** What became of a unit: `left` names what of it stays, one obstacle for each group of paths. */
export interface Taken {
  readonly taken: readonly IndexedOperation[];
  readonly left: readonly Obstacle[];
}

/** Goes back through the past, newest first, over a simulated tree. */
export class ReverseWalk {
  readonly chains = new Chains();
  readonly needs = new Map<string, MergeRequest>();
  private readonly standing: Standing;
  private readonly finder: WayFinder;

  constructor(
    private readonly history: History,
    private readonly tree: SimulatedTree,
    private readonly settings: WalkSettings,
  ) {
    this.standing = new Standing(history);
    const folders = new FolderObstacles(tree, this.standing);
    this.finder = new WayFinder(history, this.standing, tree, folders, settings.options, settings.merges);
  }

  /** Takes a unit back whole, or (`skip`) what of it can go, or answers why not and changes nothing. Units come newest first. */
  takeBack(unit: SelectedUnit): Taken {
    const live = unit.operations.filter((operation) => this.history.isLive(operation));
    if (live.length === 0) return { taken: [], left: [this.undone(unit.operations[0]!)] };
    const groupOf = pathGroups(live, this.history);
    const excluded = new Map<number, Obstacle>();
    for (;;) {
      const before = excluded.size;
      const wanted = live.filter((operation) => !excluded.has(groupOf(operation)));
      const attempt = new Attempt(this.tree, this.standing);
      this.tryAll(
        wanted,
        attempt,
        (operation, obstacle) => excluded.set(groupOf(operation), obstacle),
        (operation) => excluded.has(groupOf(operation)),
      );
      if (excluded.size === before) return this.accept(attempt, wanted, [...excluded.values()]);
      attempt.revert();
      if (!this.settings.options.skip) return { taken: [], left: [...excluded.values()].slice(0, 1) };
      if (live.every((operation) => excluded.has(groupOf(operation))))
        return { taken: [], left: [...excluded.values()] };
    }
  }

  /** Without `skip` the first obstacle is enough. */
  private tryAll(
    operations: readonly IndexedOperation[],
    attempt: Attempt,
    exclude: (operation: IndexedOperation, obstacle: Obstacle) => void,
    isExcluded: (operation: IndexedOperation) => boolean,
  ): void {
    const handled = new Set<OperationId>();
    const wanted = new Set(operations.map(({ operation_id }) => operation_id));
    for (const operation of operations) {
      if (handled.has(operation.operation_id) || isExcluded(operation)) continue;
      const other = this.otherEnd(operation, wanted);
      if (other) handled.add(other.operation_id);
      const way = this.wayBack(operation, other);
      if (way.ok) attempt.go(way.changes);
      else {
        if (way.needs) this.needs.set(way.needs.key, way.needs);
        exclude(operation, way.obstacle);
        if (!this.settings.options.skip) return;
      }
    }
  }

  /** Only a file's or link's move is one step; a folder's ends are taken back each in its turn. */
  private otherEnd(operation: IndexedOperation, wanted: ReadonlySet<OperationId>): IndexedOperation | undefined {
    const other = movesObject(operation) ? this.history.otherEnd(operation) : undefined;
    return other && wanted.has(other.operation_id) ? other : undefined;
  }

  private wayBack(operation: IndexedOperation, other: IndexedOperation | undefined): WayBack {
    const { barred } = this.settings;
    const obstacle = barred.get(operation.operation_id) ?? (other && barred.get(other.operation_id));
    if (obstacle) return { ok: false, obstacle };
    if (!other) return this.finder.back(operation);
    return operation.moved_from === null
      ? this.finder.moveBack(other, operation)
      : this.finder.moveBack(operation, other);
  }

  private accept(attempt: Attempt, taken: readonly IndexedOperation[], left: readonly Obstacle[]): Taken {
    for (const change of attempt.changes) this.chains.add(change);
    for (const { path } of taken) this.standing.settle(path);
    return { taken, left };
  }

  private undone(operation: IndexedOperation): Obstacle {
    return alreadyUndone(operation, this.tree.state(operation.path) ?? ABSENT, this.history.takenBackBy(operation));
  }
}

/** Changes of the simulated tree that may have to go again. */
class Attempt {
  readonly changes: PathChange[] = [];
  private readonly undo: (() => void)[] = [];

  constructor(
    private readonly tree: SimulatedTree,
    private readonly standing: Standing,
  ) {}

  go(changes: readonly PathChange[]): void {
    for (const change of changes) {
      const { path, restore, origin, kept, operation } = change;
      this.undo.push(this.tree.set(path, { state: restore, origin, kept }));
      this.standing.take(operation);
      this.changes.push(change);
    }
  }

  revert(): void {
    for (const putBack of this.undo.toReversed()) putBack();
    for (const { operation } of this.changes) this.standing.putBack(operation);
  }
}
