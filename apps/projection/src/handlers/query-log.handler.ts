import { QueryLog } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { LogQueries } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { viewerOf, workspaceOf } from '../reading/caller.js';
import { CatchUp } from '../reading/catch-up.js';
import { pathFilter } from '../reading/path-filter.js';
import type { Answered, Asked } from './asked.js';

@Controller()
export class QueryLogHandler {
  constructor(
    private readonly queries: LogQueries,
    private readonly catchUp: CatchUp,
  ) {}

  @Answers(QueryLog)
  async answer(asked: Asked<typeof QueryLog>, { caller }: CallContext): Promise<Answered<typeof QueryLog>> {
    const filter = {
      workspace: workspaceOf(caller),
      viewer: viewerOf(caller),
      sessionId: asked.session_id,
      agent: asked.agent,
      path: pathFilter(asked.path),
      beforeSequence: asked.before_sequence,
      limit: asked.limit,
    };
    await this.catchUp.until(caller.workspace, asked.min_sequence);
    const entries = await this.queries.find(filter);
    return { entries, cursor: entries.at(-1)?.sequence ?? 0, more: false };
  }
}
