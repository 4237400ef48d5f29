import { type LogicalOperationId, OPERATIONS_PER_ENTRY, type SessionId, type WorkspaceName } from '@retrace/contracts';
import { type EntityManager, In, LessThan } from 'typeorm';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { OperationEntity } from '../entities/operation.entity.js';
import { PlannedPartEntity } from '../entities/planned-part.entity.js';
import { SessionEntity } from '../entities/session.entity.js';
import { type Candidate, isDenial } from './log-candidates.js';
import { deniedEntry, type EntryOperation, type EntryPlan, endedEntry, type LogRow } from './log-entry.js';
import { ownedBy, type Viewer } from './viewer.js';

interface Scope {
  readonly workspace: WorkspaceName;
  readonly viewer: Viewer;
}

/** Shows rows as lines of the log, in their order. */
export async function showLines(manager: EntityManager, scope: Scope, rows: readonly Candidate[]): Promise<LogRow[]> {
  const tasks = await findTasks(manager, scope, rows);
  const taskOf = ({ sessionId }: Candidate): string | null =>
    (sessionId === null ? undefined : tasks.get(sessionId)) ?? null;
  const ended = rows.filter((row): row is LogicalOperationEntity => !isDenial(row));
  const operations = await findOperations(manager, scope, ids(ended, 'applied'));
  const plans = await findPlans(manager, scope, ids(ended, 'failed'));
  return rows.map((row) => {
    if (isDenial(row)) return deniedEntry(row, taskOf(row));
    const id = row.logicalOperationId;
    return endedEntry(row, taskOf(row), operations.get(id) ?? [], plans.get(id) ?? []);
  });
}

const ids = (rows: readonly LogicalOperationEntity[], status: string): LogicalOperationId[] =>
  rows.filter((row) => row.status === status).map((row) => row.logicalOperationId);

/** A denial may name somebody else's session: its task is not told to who may not see the session. */
async function findTasks(manager: EntityManager, { workspace, viewer }: Scope, rows: readonly Candidate[]) {
  const named = [...new Set(rows.flatMap(({ sessionId }) => sessionId ?? []))];
  const sessions = await manager.findBy(SessionEntity, { workspace, sessionId: In(named), ...ownedBy(viewer) });
  return new Map<SessionId, string>(sessions.map(({ sessionId, task }) => [sessionId, task]));
}

/** Asked operations, as many of each as a line names; without the records, which are long. */
async function findOperations(manager: EntityManager, { workspace }: Scope, logicalOperations: LogicalOperationId[]) {
  const operations: EntryOperation[] = await manager.find(OperationEntity, {
    select: {
      operationId: true,
      logicalOperationId: true,
      action: true,
      path: true,
      movedFrom: true,
      copiedFrom: true,
      paths: true,
      livePaths: true,
    },
    where: { workspace, logicalOperationId: In(logicalOperations), asked: LessThan(OPERATIONS_PER_ENTRY) },
    order: { logicalOperationId: 'ASC', asked: 'ASC' },
  });
  return grouped(operations);
}

/** Without the paths, of which there may be many. */
async function findPlans(manager: EntityManager, { workspace }: Scope, logicalOperations: LogicalOperationId[]) {
  const plans: EntryPlan[] = await manager.find(PlannedPartEntity, {
    select: { logicalOperationId: true, part: true, operations: true, operationCount: true, pathCount: true },
    where: { workspace, logicalOperationId: In(logicalOperations) },
    order: { part: 'ASC' },
  });
  return grouped(plans);
}

function grouped<Row extends { readonly logicalOperationId: LogicalOperationId }>(rows: readonly Row[]) {
  const groups = new Map<LogicalOperationId, Row[]>();
  for (const row of rows) {
    const known = groups.get(row.logicalOperationId);
    if (known) known.push(row);
    else groups.set(row.logicalOperationId, [row]);
  }
  return groups;
}
