import { QueryEntry, RetraceError } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { EntryQueries } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { viewerOf, workspaceOf } from '../reading/caller.js';
import { CatchUp } from '../reading/catch-up.js';
import type { Answered, Asked } from './asked.js';

@Controller()
export class QueryEntryHandler {
  constructor(
    private readonly queries: EntryQueries,
    private readonly catchUp: CatchUp,
  ) {}

  @Answers(QueryEntry)
  async answer(
    { id, min_sequence }: Asked<typeof QueryEntry>,
    { caller }: CallContext,
  ): Promise<Answered<typeof QueryEntry>> {
    const workspace = workspaceOf(caller);
    await this.catchUp.until(workspace, min_sequence);
    const found = await this.queries.find(workspace, id, viewerOf(caller));
    if (!found) throw new RetraceError('not_found', `${id}: no such line in what you may see. See: retrace log`);
    const { entry, intentId, failure, root } = found;
    return { entry, intent_id: intentId, failure, root };
  }
}
