import { QueryStatus } from '@retrace/contracts';
import { Answers } from '@retrace/messaging';
import { StatusQueries } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { LogStatus } from '../reading/log-status.js';
import { Rebuild } from '../rebuilding/rebuild.js';
import type { Answered } from './asked.js';

@Controller()
export class QueryStatusHandler {
  constructor(
    private readonly queries: StatusQueries,
    private readonly status: LogStatus,
    private readonly rebuild: Rebuild,
  ) {}

  @Answers(QueryStatus)
  async answer(): Promise<Answered<typeof QueryStatus>> {
    // First: what is counted afterwards is counted up to there at least.
    const standing = await this.status.now();
    const [rejected, unknown] = await Promise.all([this.queries.countRejected(), this.queries.countUnknown()]);
    return { ...standing, rejected, unknown, rebuild: await this.rebuild.status() };
  }
}
