import { QueryStatus } from '@retrace/contracts';
import { Answers } from '@retrace/messaging';
import { StatusQueries } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { LogStatus } from '../reading/log-status.js';
import type { Answered } from './asked.js';

@Controller()
export class QueryStatusHandler {
  constructor(
    private readonly queries: StatusQueries,
    private readonly status: LogStatus,
  ) {}

  @Answers(QueryStatus)
  async answer(): Promise<Answered<typeof QueryStatus>> {
    return { ...(await this.status.now()), rejected: await this.queries.countRejected(), rebuild: null };
  }
}
