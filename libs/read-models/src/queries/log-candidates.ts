import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { DenialEntity } from '../entities/denial.entity.js';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { OperationEntity } from '../entities/operation.entity.js';
import { TouchedPathEntity } from '../entities/touched-path.entity.js';
import { isForward, type LogFilter } from './log-filter.js';
import { atOrBelow, pathAtOrBelow } from './path-conditions.js';

/** A row that becomes a line of the log. A denial has an `attempt`. */
export type Candidate = LogicalOperationEntity | DenialEntity;

export const isDenial = (row: Candidate): row is DenialEntity => 'attempt' in row;

/** Up to `limit` rows that fit all but `matches`, in the order in which they are looked at. */
export async function findCandidates(manager: EntityManager, filter: LogFilter): Promise<Candidate[]> {
  const { status, limit } = filter;
  const ended = status === 'denied' ? [] : await endedQuery(manager, filter).getMany();
  const denied = status === undefined || status === 'denied' ? await deniedQuery(manager, filter).getMany() : [];
  const sign = isForward(filter) ? 1 : -1;
  return [...ended, ...denied].toSorted((a, b) => sign * (a.sequence! - b.sequence!)).slice(0, limit);
}

function endedQuery(manager: EntityManager, filter: LogFilter): SelectQueryBuilder<LogicalOperationEntity> {
  const query = manager.createQueryBuilder(LogicalOperationEntity, 'row').where('row.sequence IS NOT NULL');
  if (filter.status !== undefined) query.andWhere('row.status = :status', { status: filter.status });
  if (filter.kind !== undefined) query.andWhere('row.kind = :kind', { kind: filter.kind });
  if (filter.path !== undefined || filter.action !== undefined) andTouches(query, filter);
  return inOrder(query, filter);
}

/** What was applied is found by its operations, what failed by the paths it was about. */
function andTouches(query: SelectQueryBuilder<LogicalOperationEntity>, { path, action }: LogFilter): void {
  const among = (entity: typeof OperationEntity | typeof TouchedPathEntity): string => {
    const touched = query.subQuery().select('touched.logicalOperationId').from(entity, 'touched');
    touched.where('touched.workspace = :workspace');
    if (path === undefined) touched.andWhere('touched.logicalOperationId = row.logicalOperationId');
    else touched.andWhere(atOrBelow('touched', path).text);
    if (action !== undefined) touched.andWhere('touched.action = :action');
    return `row.logicalOperationId IN ${touched.getQuery()}`;
  };
  query.andWhere(`(${among(OperationEntity)} OR ${among(TouchedPathEntity)})`, {
    action,
    ...(path !== undefined && atOrBelow('touched', path).parameters),
  });
}

function deniedQuery(manager: EntityManager, filter: LogFilter): SelectQueryBuilder<DenialEntity> {
  const { path, action, kind } = filter;
  const query = manager.createQueryBuilder(DenialEntity, 'row');
  if (path !== undefined) {
    const { text, parameters } = pathAtOrBelow('row', path);
    query.andWhere(text, parameters);
  }
  if (action !== undefined) query.andWhere('row.action = :action', { action });
  if (kind !== undefined) query.andWhere(`row.intentType ${kind === 'rollback' ? '=' : '<>'} 'rollback'`);
  return inOrder(query, filter);
}

function inOrder<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, filter: LogFilter): SelectQueryBuilder<E> {
  const { workspace, viewer, sessionId, agent, since, until, afterSequence, beforeSequence, limit } = filter;
  query.andWhere('row.workspace = :workspace', { workspace });
  if (viewer !== undefined) query.andWhere('row.agent = :viewer', { viewer });
  if (agent !== undefined) query.andWhere('row.agent = :agent', { agent });
  if (sessionId !== undefined) query.andWhere('row.sessionId = :sessionId', { sessionId });
  if (since !== undefined) query.andWhere('row.timeMs >= :since', { since });
  if (until !== undefined) query.andWhere('row.timeMs <= :until', { until });
  if (afterSequence !== undefined) query.andWhere('row.sequence > :afterSequence', { afterSequence });
  if (beforeSequence !== undefined) query.andWhere('row.sequence < :beforeSequence', { beforeSequence });
  return query.orderBy('row.sequence', isForward(filter) ? 'ASC' : 'DESC').limit(limit);
}
