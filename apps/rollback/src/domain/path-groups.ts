import type { History } from './history.js';
import { movesObject } from './move-pairs.js';
import type { IndexedOperation } from './operation-index.js';

/**
 * Numbers what cannot be apart: the operations on one path, and the paths that moves of files connect. Leaving out a path leaves
 * out its group.
 */
export function pathGroups(
  operations: readonly IndexedOperation[],
  history: History,
): (operation: IndexedOperation) => number {
  const parents: number[] = [];
  const byPath = new Map<string, number>();
  const root = (node: number): number => {
    let at = node;
    while (parents[at] !== at) at = parents[at] = parents[parents[at]!]!;
    return at;
  };
  const nodeOf = (path: string): number => {
    const known = byPath.get(path);
    if (known !== undefined) return known;
    byPath.set(path, parents.length);
    return parents.push(parents.length) - 1;
  };
  for (const operation of operations) {
    const other = movesObject(operation) ? history.otherEnd(operation) : undefined;
    const node = nodeOf(operation.path);
    if (other) parents[root(node)] = root(nodeOf(other.path));
  }
  return ({ path }) => root(nodeOf(path));
}
