import {
  type LogicalOperationId,
  type OperationId,
  partitionOf,
  RetraceError,
  type Selection,
  type WorkspaceName,
} from '@retrace/contracts';
import type { IndexedOperation } from '../../domain/operation-index.js';
import type { Surroundings } from '../../domain/surroundings.js';
import type { FailedOperation, OperationHistory } from '../../ports/operation-history.port.js';
import type { RollbackEnvironment, RowKey } from './rollback-environment.js';

/**
 * A path may have more bytes than an LMDB key, so a key holds its beginning and rows are compared by their own path.
 * Keys sort like paths as far as they reach, which keeps everything below a folder together.
 */
const KEY_CHARACTERS = 256;
const pathKey = (path: string): string => path.slice(0, KEY_CHARACTERS);
const LAST = Number.MAX_SAFE_INTEGER;

const homeOf = (workspace: WorkspaceName): [lane: string, workspace: string] => [
  String(partitionOf(workspace)),
  workspace,
];

const selectedId = (selection: Selection): string => {
  switch (selection.by) {
    case 'operation':
      return selection.operation_id;
    case 'logical_operation':
      return selection.logical_operation_id;
    case 'session':
      return selection.session_id;
    default:
      throw new RetraceError('bad_request', `${selection.by} is not indexed`);
  }
};

/** The operation index in LMDB. */
export class LmdbOperationHistory implements OperationHistory {
  constructor(private readonly environment: RollbackEnvironment) {}

  foldedTo(workspace: WorkspaceName): number {
    return this.environment.positions.load(homeOf(workspace)[0])?.sequence ?? 0;
  }

  selected(workspace: WorkspaceName, selection: Selection, limit: number): IndexedOperation[] {
    const prefix: RowKey = [...homeOf(workspace), selectedId(selection)];
    const range = { start: [...prefix, 0] as RowKey, end: [...prefix, LAST] as RowKey, limit };
    return [...this.environment.selections.getRange(range)].flatMap(
      ({ value }) => this.environment.operations.get(value) ?? [],
    );
  }

  around(workspace: WorkspaceName, { exact, folders }: Surroundings, limit: number): IndexedOperation[] {
    const found = new Map<string, IndexedOperation>();
    const add = (rows: Iterable<IndexedOperation>): void => {
      for (const row of rows) {
        if (found.size >= limit) return;
        found.set(`${row.sequence} ${row.position}`, row);
      }
    };
    for (const path of exact) add(this.at(workspace, path));
    for (const folder of folders) add(this.below(workspace, folder));
    return [...found.values()];
  }

  ownerOf(workspace: WorkspaceName, operation: OperationId): LogicalOperationId | undefined {
    return this.environment.owners.get([...homeOf(workspace), operation]);
  }

  failure(workspace: WorkspaceName, selection: Selection): FailedOperation | undefined {
    return this.environment.failures.get([...homeOf(workspace), selectedId(selection)]);
  }

  /** Call inside a write transaction. */
  add(workspace: WorkspaceName, operation: IndexedOperation): void {
    const home = homeOf(workspace);
    const place = [operation.sequence, operation.position] as const;
    const key: RowKey = [...home, pathKey(operation.path), ...place];
    void this.environment.operations.put(key, operation);
    void this.environment.owners.put([...home, operation.operation_id], operation.logical_operation_id);
    // Rollbacks are not counted as work of a session.
    const session = operation.kind === 'operation' ? operation.session_id : null;
    for (const id of [operation.operation_id, operation.logical_operation_id, session])
      if (id !== null) void this.environment.selections.put([...home, id, ...place], key);
  }

  /** Call inside a write transaction. */
  addFailure(workspace: WorkspaceName, failed: FailedOperation): void {
    for (const id of [failed.logical_operation_id, failed.session_id])
      if (id !== null) void this.environment.failures.put([...homeOf(workspace), id], failed);
  }

  private *at(workspace: WorkspaceName, path: string): Iterable<IndexedOperation> {
    const prefix: RowKey = [...homeOf(workspace), pathKey(path)];
    const range = { start: [...prefix, 0] as RowKey, end: [...prefix, LAST] as RowKey };
    for (const { value } of this.environment.operations.getRange(range)) if (value.path === path) yield value;
  }

  private *below(workspace: WorkspaceName, folder: string): Iterable<IndexedOperation> {
    const home = homeOf(workspace);
    const start = pathKey(`${folder}/`);
    const range = { start: [...home, start] as RowKey, end: [home[0], `${home[1]}\uffff`] as RowKey };
    for (const { key, value } of this.environment.operations.getRange(range)) {
      if (key[1] !== workspace || !String(key[2]).startsWith(start)) return;
      if (value.path.startsWith(`${folder}/`)) yield value;
    }
  }
}
