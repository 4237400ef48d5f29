import { QueryWorkspaces } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { WorkspaceQueries, type WorkspaceSummary } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { anyWorkspaceOf, viewerOf } from '../reading/caller.js';
import { CatchUp } from '../reading/catch-up.js';
import type { Answered, Asked } from './asked.js';

@Controller()
export class QueryWorkspacesHandler {
  constructor(
    private readonly queries: WorkspaceQueries,
    private readonly catchUp: CatchUp,
  ) {}

  @Answers(QueryWorkspaces)
  async answer(
    { min_sequence }: Asked<typeof QueryWorkspaces>,
    { caller }: CallContext,
  ): Promise<Answered<typeof QueryWorkspaces>> {
    await this.catchUp.until(caller.workspace, min_sequence);
    return { workspaces: (await this.queries.find(anyWorkspaceOf(caller), viewerOf(caller))).map(rowOf) };
  }
}

const rowOf = (row: WorkspaceSummary) => ({
  name: row.workspace,
  root: row.root,
  policy: row.policy,
  policy_version: row.policyVersion,
  members: [...row.members],
  logical_operations: row.logicalOperations,
  baseline: row.baseline,
});
