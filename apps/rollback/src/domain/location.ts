import type { WorkspacePath } from '@retrace/contracts';
import type { History } from './history.js';
import type { IndexedOperation } from './operation-index.js';
import type { Standing } from './standing.js';

/** Where an operation's effect is now. */
export interface Location {
  readonly path: WorkspacePath;
  /** Later changes that stay and stand on it, oldest first. */
  readonly later: readonly IndexedOperation[];
  /** Later moves that stay and took the object along, oldest first: the ends where it left. */
  readonly moves: readonly IndexedOperation[];
}

/** Follows the object that an operation left through later moves that stay, to its present name. */
export function locate(history: History, standing: Standing, operation: IndexedOperation): Location {
  const later: IndexedOperation[] = [];
  const moves: IndexedOperation[] = [];
  for (let end = operation; ;) {
    const next = standing.after(end, operation);
    const at = next.findIndex((change) => isGone(operation, change));
    const upTo = at < 0 ? next.length : at;
    later.push(...next.slice(0, upTo));
    const leaves = next[upTo];
    const other = leaves && operation.after.kind !== 'absent' ? history.otherEnd(leaves) : undefined;
    if (!leaves || !other || leaves.moved_to === null) {
      later.push(...next.slice(upTo));
      return { path: end.path, later, moves };
    }
    moves.push(leaves);
    end = other;
  }
}

/** From here on nothing of the operation's object is at its path. */
const isGone = ({ after }: IndexedOperation, change: IndexedOperation): boolean =>
  after.kind !== 'absent' && change.after.kind === 'absent';
