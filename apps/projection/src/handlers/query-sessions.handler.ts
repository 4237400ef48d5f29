import { QuerySessions } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { SessionQueries, type SessionWithCount } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { viewerOf, workspaceOf } from '../reading/caller.js';
import { CatchUp } from '../reading/catch-up.js';
import type { Answered, Asked } from './asked.js';

@Controller()
export class QuerySessionsHandler {
  constructor(
    private readonly queries: SessionQueries,
    private readonly catchUp: CatchUp,
  ) {}

  @Answers(QuerySessions)
  async answer(
    { min_sequence }: Asked<typeof QuerySessions>,
    { caller }: CallContext,
  ): Promise<Answered<typeof QuerySessions>> {
    const workspace = workspaceOf(caller);
    await this.catchUp.until(workspace, min_sequence);
    return { sessions: (await this.queries.find(workspace, viewerOf(caller))).map(rowOf) };
  }
}

const rowOf = (session: SessionWithCount) => ({
  session_id: session.sessionId,
  agent: session.agent,
  status: session.status,
  task: session.task,
  conversation_id: session.conversationId,
  model: session.model,
  opened_at: session.openedAt,
  completed_at: session.completedAt,
  operations: session.operations,
});
