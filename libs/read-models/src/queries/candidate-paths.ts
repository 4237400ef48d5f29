import { type EntityManager, In } from 'typeorm';
import type { LogicalOperationId, RecordedAction } from '@retrace/contracts';
import { OperationEntity } from '../entities/operation.entity.js';
import { TouchedPathEntity } from '../entities/touched-path.entity.js';
import { type Candidate, isDenial } from './log-candidates.js';
import type { LogFilter } from './log-filter.js';

/** Rows of operations that are read at once: a pattern must be tried on each path. */
const PATHS_AT_ONCE = 20_000;

/** The candidates of which `matches` likes a path. */
export async function matching(
  manager: EntityManager,
  filter: LogFilter,
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const { matches } = filter;
  if (!matches) return [...candidates];
  const liked = new Set<LogicalOperationId>();
  for (const ids of groups(candidates))
    for (const { path, logicalOperationId } of await pathsOf(manager, filter, ids))
      if (!liked.has(logicalOperationId) && matches(path)) liked.add(logicalOperationId);
  return candidates.filter((row) =>
    isDenial(row) ? row.path !== null && matches(row.path) : liked.has(row.logicalOperationId),
  );
}

async function pathsOf(manager: EntityManager, { workspace, action }: LogFilter, ids: readonly LogicalOperationId[]) {
  const where = {
    workspace,
    logicalOperationId: In(ids),
    ...(action !== undefined && { action: action as RecordedAction }),
  };
  const select = { path: true, logicalOperationId: true } as const;
  const applied = await manager.find(OperationEntity, { select, where });
  return [...applied, ...(await manager.find(TouchedPathEntity, { select, where }))];
}

/** Logical operations in groups whose paths are read at once. */
function groups(candidates: readonly Candidate[]): LogicalOperationId[][] {
  const grouped: LogicalOperationId[][] = [[]];
  let paths = 0;
  for (const row of candidates) {
    if (isDenial(row)) continue;
    paths += row.pathCount;
    if (paths > PATHS_AT_ONCE) {
      grouped.push([]);
      paths = row.pathCount;
    }
    grouped.at(-1)!.push(row.logicalOperationId);
  }
  return grouped.filter((ids) => ids.length > 0);
}
