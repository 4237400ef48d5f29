import type { OperationId, PathState } from '@retrace/contracts';
import { liveOperations } from './liveness.js';
import { type IndexedOperation, inOrder } from './operation-index.js';

/** The recorded past of the paths that a plan looks at, in the order in which it happened. */
export class History {
  readonly operations: readonly IndexedOperation[];
  private readonly live: ReadonlySet<OperationId>;
  private readonly ranks: ReadonlyMap<OperationId, number>;
  private readonly byPath = new Map<string, IndexedOperation[]>();

  constructor(operations: readonly IndexedOperation[]) {
    this.operations = inOrder(operations);
    this.live = liveOperations(this.operations);
    this.ranks = new Map(this.operations.map(({ operation_id }, rank) => [operation_id, rank]));
    for (const operation of this.operations) {
      const there = this.byPath.get(operation.path);
      if (there) there.push(operation);
      else this.byPath.set(operation.path, [operation]);
    }
  }

  get paths(): Iterable<string> {
    return this.byPath.keys();
  }

  isLive({ operation_id }: IndexedOperation): boolean {
    return this.live.has(operation_id);
  }

  at(path: string): readonly IndexedOperation[] {
    return this.byPath.get(path) ?? [];
  }

  liveAt(path: string): IndexedOperation[] {
    return this.at(path).filter((operation) => this.isLive(operation));
  }

  /** What the last recorded change left, whoever made it. */
  recorded(path: string): PathState | undefined {
    return this.at(path).at(-1)?.after;
  }

  /** Answers whether `later` only takes back what came after `operation`: the two together left it as it was. */
  isNeutralTo(operation: IndexedOperation, later: IndexedOperation): boolean {
    const rank = this.ranks.get(operation.operation_id) ?? 0;
    return later.compensates.length > 0 && later.compensates.every((id) => (this.ranks.get(id) ?? -1) > rank);
  }

  /** The live compensation that took the operation back, where one did. */
  takenBackBy({ operation_id, path }: IndexedOperation): IndexedOperation | undefined {
    return this.liveAt(path).find((later) => later.compensates.includes(operation_id));
  }
}
