import { QueryOutcome } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { OutcomeQueries } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { viewerOf, workspaceOf } from '../reading/caller.js';
import type { Answered, Asked } from './asked.js';

const UNDECIDED = { status: 'undecided', sequence: null, type: null, data: null } as const;

@Controller()
export class QueryOutcomeHandler {
  constructor(private readonly queries: OutcomeQueries) {}

  @Answers(QueryOutcome)
  async answer(
    { intent_id }: Asked<typeof QueryOutcome>,
    { caller }: CallContext,
  ): Promise<Answered<typeof QueryOutcome>> {
    const found = await this.queries.find(workspaceOf(caller), intent_id, viewerOf(caller));
    if (!found) return UNDECIDED;
    const { status, sequence, type, data } = found;
    return { status, sequence, type, data };
  }
}
