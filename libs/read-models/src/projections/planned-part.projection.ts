import {
  type AuthorizedOperation,
  type IntentAuthorized,
  type LogicalOperationId,
  type OperationFailed,
  OPERATIONS_PER_ENTRY,
  type RollbackStepRequested,
  type StoredEvent,
  type WorkspaceName,
} from '@retrace/contracts';
import type { PlannedOperation, PlannedPartEntity } from '../entities/planned-part.entity.js';
import type { RowOf } from '../entities/row-of.js';
import type { TouchedPathEntity } from '../entities/touched-path.entity.js';
import { pathKey } from '../path-key.js';

type Row = RowOf<PlannedPartEntity>;
type Paths = Row['paths'];

/** What an authorization asks for; the parts of an operation are counted with it. */
export function plannedPart({ workspace, data }: StoredEvent<typeof IntentAuthorized>): Row {
  const counts = new Map<string, number>();
  for (const operation of data.operations) {
    const asked = operation.part_of ?? operation.request.operation_id;
    counts.set(asked, (counts.get(asked) ?? 0) + pathsOf(operation).length);
  }
  const asked = data.operations.filter(({ part_of }) => part_of === undefined);
  const operations = asked.slice(0, OPERATIONS_PER_ENTRY).map((operation) => ({
    operation_id: operation.request.operation_id,
    action: actionOf(operation),
    path: operation.canonical,
    from: operation.source?.canonical ?? operation.moved?.from ?? null,
    paths: counts.get(operation.request.operation_id) ?? 1,
  }));
  const key = { workspace, logicalOperationId: data.logical_operation_id, part: data.part };
  return { ...key, ...summed(operations, asked.length, data.operations.flatMap(pathsOf)) };
}

/** What a rollback's request asks for. */
export function plannedSteps({ workspace, data }: StoredEvent<typeof RollbackStepRequested>): Row {
  const operations = data.steps.slice(0, OPERATIONS_PER_ENTRY).map(({ operation_id, path, moves_from }) => ({
    operation_id,
    action: 'restore',
    path,
    from: moves_from ?? null,
    paths: 1,
  }));
  const paths = data.steps.map(({ path }) => [path, 'restore'] as const);
  const key = { workspace, logicalOperationId: data.logical_operation_id, part: data.part };
  return { ...key, ...summed(operations, data.steps.length, paths) };
}

/** Paths that a failure was about: those planned for its part, and the one it names. */
export function touchedPaths(
  planned: Row | undefined,
  { workspace, data }: StoredEvent<typeof OperationFailed>,
): RowOf<TouchedPathEntity>[] {
  const paths = planned?.paths ?? [];
  const named: Paths = data.path === null || paths.some(([path]) => path === data.path) ? [] : [[data.path, '']];
  return [...paths, ...named].map(([path, action]) => touchedPath(workspace, data.logical_operation_id, path, action));
}

const touchedPath = (workspace: WorkspaceName, id: LogicalOperationId, path: string, action: string) => ({
  workspace,
  pathKey: pathKey(path),
  logicalOperationId: id,
  action,
  path,
});

const actionOf = ({ recorded_as, request }: AuthorizedOperation): string => recorded_as ?? request.action;

/** A move takes away where it came from. */
function pathsOf(operation: AuthorizedOperation): Paths {
  const action = actionOf(operation);
  const { canonical, source, request } = operation;
  if (request.action !== 'move' || !source) return [[canonical, action]];
  return [
    [canonical, action],
    [source.canonical, action],
  ];
}

const summed = (operations: readonly PlannedOperation[], operationCount: number, paths: Paths) => ({
  operations,
  operationCount,
  pathCount: paths.length,
  paths,
});
