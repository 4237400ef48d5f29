import { QueryLog, type RpcCaller } from '@retrace/contracts';
import { Answers, type CallContext } from '@retrace/messaging';
import type { LogFilter } from '@retrace/read-models';
import { Controller } from '@nestjs/common';
import { viewerOf, workspaceOf } from '../reading/caller.js';
import { CatchUp } from '../reading/catch-up.js';
import { LogFollower } from '../reading/log-follower.js';
import { pathFilter } from '../reading/path-filter.js';
import { pathGlob } from '@retrace/path-globs';
import type { Answered, Asked } from './asked.js';

@Controller()
export class QueryLogHandler {
  constructor(
    private readonly follower: LogFollower,
    private readonly catchUp: CatchUp,
  ) {}

  @Answers(QueryLog)
  async answer(asked: Asked<typeof QueryLog>, { caller }: CallContext): Promise<Answered<typeof QueryLog>> {
    const filter = filterOf(asked, caller);
    await this.catchUp.until(caller.workspace, asked.min_sequence);
    return this.follower.find(filter, asked.wait_ms ?? 0, caller.principal ?? 'services');
  }
}

const filterOf = (asked: Asked<typeof QueryLog>, caller: RpcCaller): LogFilter => ({
  workspace: workspaceOf(caller),
  viewer: viewerOf(caller),
  sessionId: asked.session_id,
  agent: asked.agent,
  path: pathFilter(asked.path),
  matches: asked.glob === undefined ? undefined : pathGlob(asked.glob),
  action: asked.action,
  status: asked.status,
  kind: asked.kind,
  since: milliseconds(asked.since),
  until: milliseconds(asked.until),
  afterSequence: asked.after_sequence,
  beforeSequence: asked.before_sequence,
  limit: asked.limit,
});

const milliseconds = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time);
