import type { LogicalOperationId, Principal, SessionId, WorkspaceName } from '@retrace/contracts';
import { Brackets, type EntityManager, In, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { DecisionEntity } from '../entities/decision.entity.js';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { OperationEntity } from '../entities/operation.entity.js';
import { SessionEntity } from '../entities/session.entity.js';
import type { ReadModels } from '../read-models.js';
import { deniedEntry, endedEntry, type EntryOperation, type LogRow } from './log-entry.js';
import { ownedBy, type Viewer } from './viewer.js';

export interface LogFilter {
  readonly workspace: WorkspaceName;
  readonly viewer: Viewer;
  readonly sessionId?: SessionId | undefined;
  readonly agent?: Principal | undefined;
  /** A path in its one spelling: it or what lies below it. */
  readonly path?: string | undefined;
  readonly beforeSequence?: number | undefined;
  readonly limit: number;
}

/** The log of a workspace: what was applied, what failed and what was denied. */
export class LogQueries {
  constructor(private readonly models: ReadModels) {}

  /** Answers the newest `limit` entries that fit, newest last. */
  find(filter: LogFilter): Promise<LogRow[]> {
    return this.models.transaction((manager) => findEntries(manager, filter));
  }
}

/** The newest `limit` entries that fit, newest last. */
export async function findEntries(manager: EntityManager, filter: LogFilter): Promise<LogRow[]> {
  const ended = await findEnded(manager, filter);
  const denied = await findDenied(manager, filter);
  const rows = [...ended, ...denied].toSorted((a, b) => a.sequence! - b.sequence!).slice(-filter.limit);
  const tasks = await findTasks(manager, filter, rows);
  const operations = await findOperations(manager, filter, ended);
  return rows.map((row) =>
    'attempt' in row
      ? deniedEntry(row, taskOf(tasks, row))
      : endedEntry(row, taskOf(tasks, row), operations.get(row.logicalOperationId) ?? []),
  );
}

function findEnded(manager: EntityManager, filter: LogFilter): Promise<LogicalOperationEntity[]> {
  const query = manager.createQueryBuilder(LogicalOperationEntity, 'row').where('row.sequence IS NOT NULL');
  if (filter.path !== undefined) {
    const touched = belowPath('touched.path');
    query.andWhere(
      `row.logicalOperationId IN (SELECT touched.logical_operation_id FROM touched_path touched
        WHERE touched.workspace = :workspace AND ${touched})`,
    );
  }
  return newest(query, filter).getMany();
}

function findDenied(manager: EntityManager, filter: LogFilter): Promise<DecisionEntity[]> {
  const query = manager.createQueryBuilder(DecisionEntity, 'row').where("row.outcome = 'denied'");
  if (filter.path !== undefined) query.andWhere(new Brackets((path) => path.where(belowPath('row.path'))));
  return newest(query, filter).getMany();
}

/** `0` is the character after `/`: a range that an index can serve, where a pattern would have to be escaped. */
const belowPath = (column: string): string =>
  `(${column} = :path OR (${column} >= :path || '/' AND ${column} < :path || '0'))`;

function newest<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, filter: LogFilter): SelectQueryBuilder<E> {
  const { workspace, viewer, sessionId, agent, path, beforeSequence, limit } = filter;
  query.andWhere('row.workspace = :workspace', { workspace, path });
  if (viewer !== undefined) query.andWhere('row.agent = :viewer', { viewer });
  if (agent !== undefined) query.andWhere('row.agent = :agent', { agent });
  if (sessionId !== undefined) query.andWhere('row.sessionId = :sessionId', { sessionId });
  if (beforeSequence !== undefined) query.andWhere('row.sequence < :beforeSequence', { beforeSequence });
  return query.orderBy('row.sequence', 'DESC').limit(limit);
}

type WithSession = Pick<DecisionEntity, 'agent' | 'sessionId'>;

/** A denial may name somebody else's session: its task is not told to who may not see the session. */
async function findTasks(manager: EntityManager, { workspace, viewer }: LogFilter, rows: readonly WithSession[]) {
  const ids = [...new Set(rows.flatMap(({ sessionId }) => sessionId ?? []))];
  const sessions = await manager.findBy(SessionEntity, { workspace, sessionId: In(ids), ...ownedBy(viewer) });
  return new Map(sessions.map(({ sessionId, task }) => [sessionId, task]));
}

const taskOf = (tasks: ReadonlyMap<SessionId, string>, { sessionId }: WithSession): string | null =>
  (sessionId === null ? undefined : tasks.get(sessionId)) ?? null;

/** Without the records, which are long and which the log does not show. */
async function findOperations(manager: EntityManager, { workspace }: LogFilter, ended: LogicalOperationEntity[]) {
  const operations: EntryOperation[] = await manager.find(OperationEntity, {
    select: { operationId: true, logicalOperationId: true, action: true, path: true, undoneBy: true, sequence: true },
    where: { workspace, logicalOperationId: In(ended.map(({ logicalOperationId }) => logicalOperationId)) },
    order: { part: 'ASC', place: 'ASC' },
  });
  const grouped = new Map<LogicalOperationId, EntryOperation[]>();
  for (const row of operations)
    grouped.set(row.logicalOperationId, [...(grouped.get(row.logicalOperationId) ?? []), row]);
  return grouped;
}
