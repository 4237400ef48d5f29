import { type OperationId, parentPath } from '@retrace/contracts';
import type { History } from './history.js';
import { movesObject } from './move-pairs.js';
import type { IndexedOperation } from './operation-index.js';

/**
 * Earlier rollbacks that stand in the way of a wider one, although they took back nothing but what is selected: a step
 * was undone, or redone, around later work, and now all of that work is to go. Such a compensation is taken back first,
 * and what it took back goes with the rest. Ask again with these revoked: others may come to light.
 */
export function revokedRollbacks(history: History, selected: ReadonlySet<OperationId>): ReadonlySet<OperationId> {
  const within = compensationsWithin(history, selected);
  if (within.size === 0) return new Set();
  const revoked = new Set<OperationId>();
  for (const path of history.paths) {
    const earlier: IndexedOperation[] = [];
    for (const operation of history.liveAt(path)) {
      if (selected.has(operation.operation_id)) earlier.push(operation);
      else if (within.has(operation.operation_id) && earlier.some((each) => !history.isNeutralTo(each, operation)))
        revoked.add(operation.operation_id);
    }
  }
  for (const id of removalsOfFolders(history, selected, within)) revoked.add(id);
  return complete(history, revoked, within);
}

/** Undos of selected work alone, redos of such undos, and so on. */
function compensationsWithin(history: History, selected: ReadonlySet<OperationId>): ReadonlySet<OperationId> {
  const within = new Set<OperationId>();
  for (const { operation_id, compensates } of history.operations)
    if (!selected.has(operation_id) && compensates.length > 0)
      if (compensates.every((id) => selected.has(id) || within.has(id))) within.add(operation_id);
  return within;
}

/** Those that removed a folder in which something of what is selected is to stand again on the way. */
function removalsOfFolders(
  history: History,
  selected: ReadonlySet<OperationId>,
  within: ReadonlySet<OperationId>,
): OperationId[] {
  const removals = new Map<string, IndexedOperation[]>();
  for (const operation of history.operations) {
    const { operation_id, path, before, after } = operation;
    if (!within.has(operation_id) || !history.isLive(operation)) continue;
    if (before.kind === 'directory' && after.kind !== 'directory')
      removals.set(path, [...(removals.get(path) ?? []), operation]);
  }
  if (removals.size === 0) return [];
  return history.operations.flatMap((operation) => {
    const { operation_id, path, before } = operation;
    if (!selected.has(operation_id) || before.kind === 'absent' || !history.isLive(operation)) return [];
    return foldersAbove(path).flatMap((folder) =>
      (removals.get(folder) ?? [])
        .filter(
          (removal) => history.rank(removal) > history.rank(operation) && !history.isNeutralTo(operation, removal),
        )
        .map((removal) => removal.operation_id),
    );
  });
}

function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let above = parentPath(path); above !== undefined; above = parentPath(above)) folders.push(above);
  return folders;
}

/**
 * Both ends of a move go together. Of a redo also the undo that it took back: what both were about stood, and is taken
 * back by this plan.
 */
function complete(
  history: History,
  revoked: Set<OperationId>,
  within: ReadonlySet<OperationId>,
): ReadonlySet<OperationId> {
  if (revoked.size === 0) return revoked;
  for (const operation of history.operations.toReversed()) {
    const other = movesObject(operation) ? history.otherEnd(operation) : undefined;
    if (other && revoked.has(other.operation_id)) revoked.add(operation.operation_id);
    if (!revoked.has(operation.operation_id)) continue;
    if (other) revoked.add(other.operation_id);
    for (const id of operation.compensates) if (within.has(id)) revoked.add(id);
  }
  return revoked;
}
