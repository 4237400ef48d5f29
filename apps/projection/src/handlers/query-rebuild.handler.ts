import { isOperator, QueryRebuild, RetraceError } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { Rebuild } from '../rebuilding/rebuild.js';
import type { Answered, Asked } from './asked.js';

@Controller()
export class QueryRebuildHandler {
  constructor(private readonly rebuild: Rebuild) {}

  // Async: what is refused is a rejection.
  @Answers(QueryRebuild)
  async answer(_: Asked<typeof QueryRebuild>, { caller }: CallContext): Promise<Answered<typeof QueryRebuild>> {
    const { principal } = caller;
    if (principal === undefined || !isOperator(principal))
      throw new RetraceError(
        'forbidden',
        `${principal ?? 'a service'} asks for a rebuild; only an operator may. Run: retrace rebuild`,
      );
    return { started: this.rebuild.start() };
  }
}
