import { type IntentId, OperationApplied, type WorkspaceName } from '@retrace/contracts';
import type { EntityManager } from 'typeorm';
import { OperationEntity } from '../entities/operation.entity.js';
import { OutcomeEntity } from '../entities/outcome.entity.js';
import type { RowOf } from '../entities/row-of.js';
import type { ReadModelReader } from '../read-models.js';
import { ownedBy, type Viewer } from './viewer.js';

export class OutcomeQueries {
  constructor(private readonly models: ReadModelReader) {}

  /** Answers what became of an intent, with the whole data of the event that ended it; the newest where agents share an id. */
  find(workspace: WorkspaceName, intentId: IntentId, viewer: Viewer): Promise<OutcomeEntity | undefined> {
    return this.models.read(async (manager) => {
      const row = await manager.findOne(OutcomeEntity, {
        where: { workspace, intentId, ...ownedBy(viewer) },
        order: { sequence: 'DESC' },
      });
      return row ? withOperations(manager, row) : undefined;
    });
  }
}

async function withOperations(manager: EntityManager, row: RowOf<OutcomeEntity>): Promise<OutcomeEntity> {
  if (row.type !== OperationApplied.type) return row;
  const { workspace, logicalOperationId, sequence } = row;
  const operations = await manager.find(OperationEntity, {
    where: { workspace, logicalOperationId: logicalOperationId!, sequence },
    order: { ordinal: 'ASC' },
  });
  return { ...row, data: { ...(row.data as object), operations: operations.map(({ record }) => record) } };
}
