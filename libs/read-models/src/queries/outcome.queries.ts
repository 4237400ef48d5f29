import { type IntentId, OperationApplied, type WorkspaceName } from '@retrace/contracts';
import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { OperationEntity } from '../entities/operation.entity.js';
import { OutcomeEntity } from '../entities/outcome.entity.js';
import type { RowOf } from '../entities/row-of.js';
import type { ReadModelReader } from '../read-models.js';
import { fitting } from './fitting.js';
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

/** Records that are read for one answer: more do not fit into it. */
const MOST = 2000;

/**
 * Of a large event only as many operations as an answer holds, and how many there are (`operation_count`): the others are
 * read with `query.operation`.
 */
async function withOperations(manager: EntityManager, row: RowOf<OutcomeEntity>): Promise<OutcomeEntity> {
  if (row.type !== OperationApplied.type) return row;
  const { workspace, logicalOperationId, sequence } = row;
  const where = { workspace, logicalOperationId: logicalOperationId!, sequence };
  const found = await manager.find(OperationEntity, { where, order: { ordinal: 'ASC' }, take: MOST });
  const operations = fitting(found.map(({ record }) => record));
  const total = operations.length < found.length || found.length === MOST ? await count(manager, where) : found.length;
  const cut = total > operations.length && { operation_count: total };
  return { ...row, data: { ...(row.data as object), operations, ...cut } };
}

const count = (manager: EntityManager, where: FindOptionsWhere<OperationEntity>): Promise<number> =>
  manager.countBy(OperationEntity, where);
