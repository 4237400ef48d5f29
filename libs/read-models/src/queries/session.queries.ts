import type { SessionId, WorkspaceName } from '@retrace/contracts';
import type { EntityManager } from 'typeorm';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import type { RowOf } from '../entities/row-of.js';
import { SessionEntity } from '../entities/session.entity.js';
import type { ReadModelReader } from '../read-models.js';
import { ownedBy, type Viewer } from './viewer.js';

/** A session, and how many operations it asked for were applied; rollbacks are not counted. */
export type SessionWithCount = RowOf<SessionEntity> & { readonly operations: number };

export class SessionQueries {
  constructor(private readonly models: ReadModelReader) {}

  /** In the order in which they were opened. */
  find(workspace: WorkspaceName, viewer: Viewer): Promise<SessionWithCount[]> {
    return this.models.read(async (manager) => {
      const where = { workspace, ...ownedBy(viewer) };
      const sessions = await manager.find(SessionEntity, { where, order: { sequence: 'ASC' } });
      const counts = await countOperations(manager, workspace);
      return sessions.map((session: RowOf<SessionEntity>) => ({
        ...session,
        operations: counts.get(session.sessionId) ?? 0,
      }));
    });
  }
}

async function countOperations(manager: EntityManager, workspace: WorkspaceName): Promise<Map<SessionId, number>> {
  const counts = await manager
    .createQueryBuilder(LogicalOperationEntity, 'row')
    .select('row.sessionId', 'sessionId')
    .addSelect('SUM(row.operationCount)', 'count')
    .where("row.workspace = :workspace AND row.kind = 'operation' AND row.sessionId IS NOT NULL", { workspace })
    .groupBy('row.sessionId')
    .getRawMany<{ sessionId: SessionId; count: number }>();
  return new Map(counts.map(({ sessionId, count }) => [sessionId, count]));
}
