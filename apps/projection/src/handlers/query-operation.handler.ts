import { QueryOperation, RetraceError } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { OperationQueries } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { anyWorkspaceOf, viewerOf } from '../reading/caller.js';
import { CatchUp } from '../reading/catch-up.js';
import type { Answered, Asked } from './asked.js';
import { detailOf } from './operation-detail.js';

@Controller()
export class QueryOperationHandler {
  constructor(
    private readonly queries: OperationQueries,
    private readonly catchUp: CatchUp,
  ) {}

  @Answers(QueryOperation)
  async answer(
    { id, from, limit, min_sequence }: Asked<typeof QueryOperation>,
    { caller }: CallContext,
  ): Promise<Answered<typeof QueryOperation>> {
    await this.catchUp.until(caller.workspace, min_sequence);
    const found = await this.queries.find(anyWorkspaceOf(caller), id, viewerOf(caller), { from, limit });
    if (!found) throw new RetraceError('not_found', `${id}: no such operation in what you may see. See: retrace log`);
    return { operations: found.operations.map(detailOf), total: found.total };
  }
}
