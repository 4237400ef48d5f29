import type { OperationId, PathState } from '@retrace/contracts';
import { liveOperations } from './liveness.js';
import { type IndexedOperation, inOrder } from './operation-index.js';
import { pairsOfMoves } from './move-pairs.js';

/** The recorded past of the paths that a plan looks at, in the order in which it happened. */
export class History {
  readonly operations: readonly IndexedOperation[];
  private readonly live: ReadonlySet<OperationId>;
  private readonly ranks: ReadonlyMap<OperationId, number>;
  private readonly pairs: ReadonlyMap<OperationId, IndexedOperation>;
  private readonly byPath = new Map<string, IndexedOperation[]>();
  private readonly compensations = new Map<OperationId, IndexedOperation[]>();

  /** `revoked`: compensations that a plan takes back itself, so that what they took back stands again. */
  constructor(operations: readonly IndexedOperation[], revoked: ReadonlySet<OperationId> = new Set()) {
    this.operations = inOrder(operations);
    this.live = liveOperations(this.operations, revoked);
    this.ranks = new Map(this.operations.map(({ operation_id }, rank) => [operation_id, rank]));
    this.pairs = pairsOfMoves(this.operations);
    for (const operation of this.operations) {
      addTo(this.byPath, operation.path, operation);
      if (!revoked.has(operation.operation_id))
        for (const id of operation.compensates) addTo(this.compensations, id, operation);
    }
  }

  get paths(): Iterable<string> {
    return this.byPath.keys();
  }

  isLive({ operation_id }: IndexedOperation): boolean {
    return this.live.has(operation_id);
  }

  /** Its place in the order of all. */
  rank({ operation_id }: IndexedOperation): number {
    return this.ranks.get(operation_id) ?? -1;
  }

  /** The other end of a move. */
  otherEnd({ operation_id }: IndexedOperation): IndexedOperation | undefined {
    return this.pairs.get(operation_id);
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
    const rank = this.rank(operation);
    return later.compensates.length > 0 && later.compensates.every((id) => (this.ranks.get(id) ?? -1) > rank);
  }

  /** The live compensation that took the operation back, where one did. */
  takenBackBy({ operation_id }: IndexedOperation): IndexedOperation | undefined {
    return this.compensations.get(operation_id)?.find((later) => this.isLive(later));
  }
}

function addTo<Key>(lists: Map<Key, IndexedOperation[]>, key: Key, operation: IndexedOperation): void {
  const list = lists.get(key);
  if (list) list.push(operation);
  else lists.set(key, [operation]);
}
