import type { SessionId, WorkspaceName, WorkspacePath } from '@retrace/contracts';
import { type EntityManager, In, type SelectQueryBuilder } from 'typeorm';
import { OperationEntity } from '../entities/operation.entity.js';
import { SessionEntity } from '../entities/session.entity.js';
import { pathKey } from '../path-key.js';
import type { ReadModelReader } from '../read-models.js';
import { fitting } from './fitting.js';
import { ownedBy, type Viewer } from './viewer.js';

export interface HistoryFilter {
  readonly workspace: WorkspaceName;
  readonly path: WorkspacePath;
  readonly viewer: Viewer;
  readonly beforeSequence?: number | undefined;
  readonly limit: number;
}

export interface Change {
  readonly operation: OperationEntity;
  readonly task: string | null;
  readonly conversationId: string | null;
}

/** A place in the order of all records. */
type Place = Pick<OperationEntity, 'sequence' | 'ordinal'>;

const START: Place = { sequence: 0, ordinal: -1 };
const END: Place = { sequence: Number.MAX_SAFE_INTEGER, ordinal: 0 };

/** The time in which the object had this name: after `after`, before `before`, neither included. */
interface Stay {
  readonly path: WorkspacePath;
  readonly after: Place;
  readonly before: Place;
  /** The name it got then, whose record stands for the other end of that move too. */
  readonly next: WorkspacePath | undefined;
  /** The record of the arrival from another name, which belongs to this stay. */
  readonly arrival: OperationEntity | undefined;
}

/** What happened to one path. */
export class HistoryQueries {
  constructor(private readonly models: ReadModelReader) {}

  /** Answers the newest changes first, those under the names that the object had before included. */
  find(filter: HistoryFilter): Promise<{ changes: Change[]; more: boolean }> {
    return this.models.read(async (manager) => {
      const wanted = filter.limit + 1;
      const found: OperationEntity[] = [];
      let place: Place = END;
      let next: WorkspacePath | undefined;
      for (let path: WorkspacePath | undefined = filter.path; path !== undefined && found.length < wanted;) {
        const stay = await stayAt(manager, filter.workspace, { path, next, before: place });
        found.push(...(await changesIn(manager, filter, stay, wanted - found.length)));
        next = path;
        path = stay.arrival?.movedFrom ?? undefined;
        place = stay.arrival ?? START;
      }
      const shown = fitting(found.slice(0, filter.limit));
      return { changes: await withSessions(manager, filter, shown), more: found.length > shown.length };
    });
  }
}

async function stayAt(
  manager: EntityManager,
  workspace: WorkspaceName,
  stay: Pick<Stay, 'path' | 'before' | 'next'>,
): Promise<Stay> {
  const query = recordsAt(manager, workspace, stay.path).andWhere('row.movedFrom IS NOT NULL');
  const arrival = (await newestBefore(query, stay.before).getOne()) ?? undefined;
  const after = arrival ? { sequence: arrival.sequence, ordinal: arrival.ordinal - 1 } : START;
  return { ...stay, arrival, after };
}

async function changesIn(
  manager: EntityManager,
  { workspace, viewer, beforeSequence }: HistoryFilter,
  { path, after, before, next }: Stay,
  limit: number,
): Promise<OperationEntity[]> {
  const query = recordsAt(manager, workspace, path);
  query.andWhere('(row.sequence > :afterSequence OR (row.sequence = :afterSequence AND row.ordinal > :afterOrdinal))', {
    afterSequence: after.sequence,
    afterOrdinal: after.ordinal,
  });
  if (viewer !== undefined) query.andWhere('row.agent = :viewer', { viewer });
  if (beforeSequence !== undefined) query.andWhere('row.sequence < :beforeSequence', { beforeSequence });
  const rows = await newestBefore(query, before).limit(limit).getMany();
  return rows.filter((row) => row.sequence !== before.sequence || next === undefined || row.record.moved_to !== next);
}

const recordsAt = (manager: EntityManager, workspace: WorkspaceName, path: WorkspacePath) =>
  manager
    .createQueryBuilder(OperationEntity, 'row')
    .where('row.workspace = :workspace AND row.pathKey = :key AND row.path = :path', {
      workspace,
      key: pathKey(path),
      path,
    });

const newestBefore = (query: SelectQueryBuilder<OperationEntity>, { sequence, ordinal }: Place) =>
  query
    .andWhere('(row.sequence < :sequence OR (row.sequence = :sequence AND row.ordinal < :ordinal))', {
      sequence,
      ordinal,
    })
    .orderBy('row.sequence', 'DESC')
    .addOrderBy('row.ordinal', 'DESC')
    .limit(1);

async function withSessions(
  manager: EntityManager,
  { workspace, viewer }: HistoryFilter,
  operations: readonly OperationEntity[],
): Promise<Change[]> {
  const named = [...new Set(operations.flatMap(({ sessionId }) => sessionId ?? []))];
  const sessions = await manager.findBy(SessionEntity, { workspace, sessionId: In(named), ...ownedBy(viewer) });
  const byId = new Map<SessionId, SessionEntity>(sessions.map((session) => [session.sessionId, session]));
  return operations.map((operation) => {
    const session = operation.sessionId === null ? undefined : byId.get(operation.sessionId);
    return { operation, task: session?.task ?? null, conversationId: session?.conversationId ?? null };
  });
}
