import type { OperationId } from '@retrace/contracts';
import type { IndexedOperation } from './operation-index.js';

/**
 * Each end of a move with its other end: both are records of one event. Where one event moves several times from one
 * path to another, the ends are matched in their order. `history` is in order.
 */
export function pairsOfMoves(history: readonly IndexedOperation[]): ReadonlyMap<OperationId, IndexedOperation> {
  const leaving = new Map<string, IndexedOperation[]>();
  const coming = new Map<string, IndexedOperation[]>();
  const add = (ends: Map<string, IndexedOperation[]>, key: string, end: IndexedOperation): void => {
    const list = ends.get(key);
    if (list) list.push(end);
    else ends.set(key, [end]);
  };
  for (const operation of history) {
    const { sequence, path, moved_from, moved_to } = operation;
    if (moved_to !== null) add(leaving, `${sequence}\0${path}\0${moved_to}`, operation);
    else if (moved_from !== null) add(coming, `${sequence}\0${moved_from}\0${path}`, operation);
  }
  const pairs = new Map<OperationId, IndexedOperation>();
  for (const [key, sources] of leaving)
    for (const [index, source] of sources.entries()) {
      const target = coming.get(key)?.[index];
      if (!target) continue;
      pairs.set(source.operation_id, target);
      pairs.set(target.operation_id, source);
    }
  return pairs;
}

/** Both ends of the move of a file or link: one object under two names. A folder's ends are a folder made and one removed. */
export const movesObject = ({ before, after, moved_from, moved_to }: IndexedOperation): boolean =>
  (moved_from !== null && isObject(after)) || (moved_to !== null && isObject(before));

const isObject = ({ kind }: IndexedOperation['after']): boolean => kind === 'file' || kind === 'link';
