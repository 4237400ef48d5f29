import { RetraceError } from '@retrace/contracts';
import type { LogFilter, LogPage, LogQueries } from '@retrace/read-models';
import type { Progress } from '../folding/progress.js';
import { laneOfWorkspace } from '../lanes.js';

/** Followers that wait at once, in all and of one principal: each holds a call open. */
const MOST = 256;
const MOST_OF_ONE = 32;

/** Answers the log; an empty answer may wait for what comes. */
export class LogFollower {
  private readonly waiting = new Map<string, number>();

  constructor(
    private readonly queries: LogQueries,
    private readonly progress: Progress,
  ) {}

  /**
   * Waits up to `waitMs` for the first entry where there is none. Ends with what there is when the service ends. Rejects
   * with {@link RetraceError} `busy` where too many wait.
   */
  async find(filter: LogFilter, waitMs: number, who: string): Promise<LogPage> {
    const page = await this.queries.find(filter);
    if (waitMs === 0 || page.entries.length > 0 || page.more) return page;
    this.enter(who);
    try {
      return await this.wait(filter, page, Date.now() + waitMs);
    } finally {
      this.leave(who);
    }
  }

  private async wait(filter: LogFilter, first: LogPage, deadline: number): Promise<LogPage> {
    const lane = laneOfWorkspace(filter.workspace);
    let page = first;
    for (let left = deadline - Date.now(); left > 0; left = deadline - Date.now()) {
      if (!(await this.progress.reached(lane, page.cursor + 1, left))) break;
      // Up to the cursor all was looked at; what comes is looked at once.
      page = await this.queries.find({ ...filter, afterSequence: page.cursor });
      if (page.entries.length > 0 || page.more) break;
    }
    return page;
  }

  private enter(who: string): void {
    const all = [...this.waiting.values()].reduce((sum, count) => sum + count, 0);
    const own = this.waiting.get(who) ?? 0;
    if (all >= MOST || own >= MOST_OF_ONE)
      throw new RetraceError(
        'busy',
        `${own} calls of yours and ${all} in all follow the log already; end one, or ask without wait_ms`,
      );
    this.waiting.set(who, own + 1);
  }

  private leave(who: string): void {
    const own = (this.waiting.get(who) ?? 1) - 1;
    if (own === 0) this.waiting.delete(who);
    else this.waiting.set(who, own);
  }
}
