import { QueryHistory } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { HistoryQueries } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { viewerOf, workspaceOf } from '../reading/caller.js';
import { CatchUp } from '../reading/catch-up.js';
import { pathOf } from '../reading/path-filter.js';
import type { Answered, Asked } from './asked.js';
import { detailOf } from './operation-detail.js';

@Controller()
export class QueryHistoryHandler {
  constructor(
    private readonly queries: HistoryQueries,
    private readonly catchUp: CatchUp,
  ) {}

  @Answers(QueryHistory)
  async answer(
    { path, before_sequence: beforeSequence, limit, min_sequence }: Asked<typeof QueryHistory>,
    { caller }: CallContext,
  ): Promise<Answered<typeof QueryHistory>> {
    const filter = {
      workspace: workspaceOf(caller),
      path: pathOf(path),
      viewer: viewerOf(caller),
      beforeSequence,
      limit,
    };
    await this.catchUp.until(filter.workspace, min_sequence);
    const { changes, more } = await this.queries.find(filter);
    const shown = changes.map(({ operation, task, conversationId: conversation_id }) => ({
      ...detailOf(operation),
      task,
      conversation_id,
    }));
    return { changes: shown, more };
  }
}
