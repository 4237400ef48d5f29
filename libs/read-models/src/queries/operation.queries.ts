import type { LogicalOperationId, OperationId, WorkspaceName } from '@retrace/contracts';
import type { EntityManager } from 'typeorm';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { OperationEntity } from '../entities/operation.entity.js';
import type { ReadModelReader } from '../read-models.js';
import { fitting } from './fitting.js';
import { ownedBy, type Viewer } from './viewer.js';

export interface OperationPage {
  /** In their order, from the first that was asked for; fewer where they would be too many bytes. */
  readonly operations: OperationEntity[];
  readonly total: number;
}

/** Single operations, with all fields. */
export class OperationQueries {
  constructor(private readonly models: ReadModelReader) {}

  /**
   * Answers the operation (and what else was recorded under its id, which the rules do not allow), or those of a logical
   * operation: none where it was authorized or failed only. `undefined`: the viewer has none of this id. `workspace`
   * undefined: any.
   */
  find(
    workspace: WorkspaceName | undefined,
    id: OperationId | LogicalOperationId,
    viewer: Viewer,
    { from, limit }: { readonly from: number; readonly limit: number } = { from: 0, limit: 1000 },
  ): Promise<OperationPage | undefined> {
    const scope = { ...(workspace === undefined ? {} : { workspace }), ...ownedBy(viewer) };
    return this.models.read(async (manager) => {
      const where = { ...scope, ...(isLogical(id) ? { logicalOperationId: id } : { operationId: id }) };
      const total = await manager.countBy(OperationEntity, where);
      if (total === 0) return (await isKnown(manager, scope, id)) ? { operations: [], total } : undefined;
      const order = isLogical(id)
        ? ({ workspace: 'ASC', ordinal: 'ASC' } as const)
        : ({ workspace: 'ASC', repeated: 'ASC' } as const);
      const operations = await manager.find(OperationEntity, { where, order, skip: from, take: limit });
      return { operations: fitting(operations), total };
    });
  }
}

const isKnown = async (
  manager: EntityManager,
  scope: { workspace?: WorkspaceName },
  id: OperationId | LogicalOperationId,
): Promise<boolean> =>
  isLogical(id) && (await manager.existsBy(LogicalOperationEntity, { ...scope, logicalOperationId: id }));

const isLogical = (id: OperationId | LogicalOperationId): id is LogicalOperationId => id.startsWith('lop_');
