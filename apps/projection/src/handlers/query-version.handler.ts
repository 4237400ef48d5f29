import { QueryVersion, RetraceError } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { VersionQueries } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { viewerOf, workspaceOf } from '../reading/caller.js';
import { CatchUp } from '../reading/catch-up.js';
import { pathOf } from '../reading/path-filter.js';
import type { Answered, Asked } from './asked.js';

@Controller()
export class QueryVersionHandler {
  constructor(
    private readonly queries: VersionQueries,
    private readonly catchUp: CatchUp,
  ) {}

  @Answers(QueryVersion)
  async answer(asked: Asked<typeof QueryVersion>, { caller }: CallContext): Promise<Answered<typeof QueryVersion>> {
    const [workspace, path, viewer] = [workspaceOf(caller), pathOf(asked.path), viewerOf(caller)];
    await this.catchUp.until(workspace, asked.min_sequence);
    const { at_sequence: atSequence, operation_id: operationId } = asked;
    const found = await this.queries.find({ workspace, path, viewer, atSequence, operationId });
    if (!found) throw new RetraceError('not_found', `${path}: no such recorded state in what you may see`);
    return { path, sequence: found.sequence, state: found.state, operation_id: found.operationId };
  }
}
