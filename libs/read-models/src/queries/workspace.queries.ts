import type { Principal, WorkspaceName } from '@retrace/contracts';
import { type EntityManager, In, IsNull, MoreThan, Not } from 'typeorm';
import { LogicalOperationEntity } from '../entities/logical-operation.entity.js';
import { MemberEntity } from '../entities/member.entity.js';
import { type Baseline, WorkspaceEntity } from '../entities/workspace.entity.js';
import type { ReadModelReader } from '../read-models.js';
import type { Viewer } from './viewer.js';

export interface WorkspaceSummary {
  readonly workspace: WorkspaceName;
  readonly root: string;
  readonly baseline: Baseline | null;
  readonly policy: string | null;
  readonly policyVersion: number;
  readonly members: readonly Principal[];
  /** Applied ones, rollbacks included. */
  readonly logicalOperations: number;
}

export class WorkspaceQueries {
  constructor(private readonly models: ReadModelReader) {}

  /** Answers registered workspaces by name; to an agent those that it is a member of. `workspace` undefined: all. */
  find(workspace: WorkspaceName | undefined, viewer: Viewer): Promise<WorkspaceSummary[]> {
    return this.models.read(async (manager) => {
      const rows = await findRegistered(manager, workspace);
      const members = await findMembers(manager, rows);
      const visible = rows.filter(
        (row) =>
          viewer === undefined ||
          members.some((member) => member.workspace === row.workspace && member.member === viewer),
      );
      return Promise.all(visible.map((row) => summarize(manager, row, members)));
    });
  }
}

function findRegistered(manager: EntityManager, workspace: WorkspaceName | undefined): Promise<WorkspaceEntity[]> {
  const named = workspace === undefined ? {} : { workspace };
  return manager.find(WorkspaceEntity, { where: { ...named, root: Not(IsNull()) }, order: { workspace: 'ASC' } });
}

const findMembers = (manager: EntityManager, rows: readonly WorkspaceEntity[]): Promise<MemberEntity[]> =>
  manager.find(MemberEntity, {
    where: { workspace: In(rows.map(({ workspace }) => workspace)) },
    order: { sequence: 'ASC' },
  });

async function summarize(
  manager: EntityManager,
  { workspace, root, policy, policyVersion, baseline }: WorkspaceEntity,
  members: readonly MemberEntity[],
): Promise<WorkspaceSummary> {
  const mine = members.filter((member) => member.workspace === workspace).map(({ member }) => member);
  const logicalOperations = await manager.countBy(LogicalOperationEntity, {
    workspace,
    status: 'applied',
    // What has ended, as the index of it says: SQLite then counts there.
    sequence: MoreThan(0),
  });
  return { workspace, root: root!, baseline, policy, policyVersion, members: mine, logicalOperations };
}
