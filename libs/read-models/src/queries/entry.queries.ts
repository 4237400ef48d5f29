import type { Failure, IntentId, LogicalOperationId, WorkspaceName } from '@retrace/contracts';
import type { EntityManager } from 'typeorm';
import { DenialEntity } from '../entities/denial.entity.js';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import type { ReadModelReader } from '../read-models.js';
import type { Candidate } from './log-candidates.js';
import type { LogRow } from './log-entry.js';
import { showLines } from './log-lines.js';
import { ownedBy, type Viewer } from './viewer.js';

export interface EntryDetail {
  readonly entry: LogRow;
  readonly intentId: IntentId;
  readonly failure: Failure | null;
  /** Of the workspace. */
  readonly root: string | null;
}

/** Single lines of the log, with what the log as a whole has no room for. */
export class EntryQueries {
  constructor(private readonly models: ReadModelReader) {}

  /** Finds by sequence, or by logical operation. `undefined`: the viewer has no such line; it may not have ended yet. */
  find(workspace: WorkspaceName, id: number | LogicalOperationId, viewer: Viewer): Promise<EntryDetail | undefined> {
    return this.models.read(async (manager) => {
      const row = await findRow(manager, workspace, id, viewer);
      if (row === null || row.sequence === null) return undefined;
      const [entry] = await showLines(manager, { workspace, viewer }, [row]);
      const failure = 'failure' in row ? row.failure : null;
      return { entry: entry!, intentId: row.intentId, failure, root: await rootOf(manager, workspace) };
    });
  }
}

async function findRow(
  manager: EntityManager,
  workspace: WorkspaceName,
  id: number | LogicalOperationId,
  viewer: Viewer,
): Promise<Candidate | null> {
  const scope = { workspace, ...ownedBy(viewer) };
  if (typeof id === 'string') return manager.findOneBy(LogicalOperationEntity, { ...scope, logicalOperationId: id });
  const ended = await manager.findOneBy(LogicalOperationEntity, { ...scope, sequence: id });
  return ended ?? manager.findOneBy(DenialEntity, { ...scope, sequence: id });
}

const rootOf = async (manager: EntityManager, workspace: WorkspaceName): Promise<string | null> =>
  (await manager.findOneBy(WorkspaceEntity, { workspace }))?.root ?? null;
