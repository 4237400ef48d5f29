import type { OperationId } from '@retrace/contracts';
import type { History } from './history.js';
import type { IndexedOperation } from './operation-index.js';

/** The live operations that a walk has not taken back, by path, oldest first. */
export class Standing {
  private readonly taken = new Set<OperationId>();
  private readonly lists = new Map<string, IndexedOperation[]>();

  constructor(private readonly history: History) {}

  take({ operation_id }: IndexedOperation): void {
    this.taken.add(operation_id);
  }

  putBack({ operation_id }: IndexedOperation): void {
    this.taken.delete(operation_id);
  }

  /** Forgets the newest ones of a path as far as they are taken: none of them is looked at again. */
  settle(path: string): void {
    const list = this.list(path);
    while (list.length > 0 && this.taken.has(list.at(-1)!.operation_id)) list.pop();
  }

  at(path: string): IndexedOperation[] {
    return this.list(path).filter(({ operation_id }) => !this.taken.has(operation_id));
  }

  /** What came to the path of `end` after it and does more than take back what came after `operation`; oldest first. */
  after(end: IndexedOperation, operation: IndexedOperation): IndexedOperation[] {
    const rank = this.history.rank(end);
    const list = this.list(end.path);
    const later: IndexedOperation[] = [];
    for (let at = list.length - 1; at >= 0; at--) {
      const candidate = list[at]!;
      if (this.history.rank(candidate) <= rank) break;
      if (this.taken.has(candidate.operation_id) || this.history.isNeutralTo(operation, candidate)) continue;
      later.push(candidate);
    }
    return later.toReversed();
  }

  private list(path: string): IndexedOperation[] {
    const known = this.lists.get(path);
    if (known) return known;
    const list = this.history.liveAt(path);
    this.lists.set(path, list);
    return list;
  }
}
