import type { LogicalOperationId, OperationId, WorkspaceName } from '@retrace/contracts';
import type { EntityManager } from 'typeorm';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { OperationEntity } from '../entities/operation.entity.js';
import type { ReadModels } from '../read-models.js';
import { ownedBy, type Viewer } from './viewer.js';

/** Single operations, with all fields. */
export class OperationQueries {
  constructor(private readonly models: ReadModels) {}

  /**
   * Answers the operation, or all of a logical operation in their order: none where it was authorized or failed only.
   * `undefined`: the viewer has none of this id. `workspace` undefined: any.
   */
  find(
    workspace: WorkspaceName | undefined,
    id: OperationId | LogicalOperationId,
    viewer: Viewer,
  ): Promise<OperationEntity[] | undefined> {
    const scope = { ...(workspace === undefined ? {} : { workspace }), ...ownedBy(viewer) };
    return this.models.transaction(async (manager) => {
      const found = await findOperations(manager, scope, id);
      if (found.length > 0) return found;
      const known =
        isLogical(id) && (await manager.existsBy(LogicalOperationEntity, { ...scope, logicalOperationId: id }));
      return known ? [] : undefined;
    });
  }
}

function findOperations(
  manager: EntityManager,
  scope: { workspace?: WorkspaceName },
  id: OperationId | LogicalOperationId,
): Promise<OperationEntity[]> {
  return manager.find(OperationEntity, {
    where: { ...scope, ...(isLogical(id) ? { logicalOperationId: id } : { operationId: id }) },
    order: { workspace: 'ASC', part: 'ASC', place: 'ASC' },
  });
}

const isLogical = (id: OperationId | LogicalOperationId): id is LogicalOperationId => id.startsWith('lop_');
