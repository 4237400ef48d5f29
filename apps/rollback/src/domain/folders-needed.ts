import { type OperationId, parentPath, type PathState } from '@retrace/contracts';
import type { History } from './history.js';
import type { IndexedOperation } from './operation-index.js';

/**
 * Removals of folders that must be taken back too, so that single selected records have a place to come back to: the
 * same logical operation moved or removed the folder as a whole, and only some of what lay in it is asked for. A folder
 * that stands again needs none, and what is spared stays as it is.
 */
export function foldersNeeded(
  history: History,
  present: ReadonlyMap<string, PathState>,
  selected: ReadonlySet<OperationId>,
  spared: ReadonlySet<OperationId> = new Set(),
): OperationId[] {
  const isOpen = (operation: IndexedOperation): boolean => {
    const { operation_id } = operation;
    return !selected.has(operation_id) && !spared.has(operation_id) && history.isLive(operation);
  };
  const stands = (path: string): boolean => (present.get(path) ?? history.recorded(path))?.kind === 'directory';
  const removals = new Map<string, OperationId>();
  for (const operation of history.operations)
    if (removesFolder(operation) && isOpen(operation) && !stands(operation.path))
      removals.set(keyOf(operation, operation.path), operation.operation_id);
  const needed = new Set<OperationId>();
  if (removals.size === 0) return [];
  for (const operation of history.operations) {
    if (operation.before.kind === 'absent' || !selected.has(operation.operation_id) || !history.isLive(operation))
      continue;
    for (let above = parentPath(operation.path); above !== undefined; above = parentPath(above)) {
      const removal = removals.get(keyOf(operation, above));
      if (removal) needed.add(removal);
    }
  }
  return [...needed];
}

const removesFolder = ({ before, after }: IndexedOperation): boolean =>
  before.kind === 'directory' && after.kind !== 'directory';

const keyOf = ({ logical_operation_id }: IndexedOperation, path: string): string => `${logical_operation_id} ${path}`;
