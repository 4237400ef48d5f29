import { setImmediate as breathe } from 'node:timers/promises';
import { partitionOf } from '@retrace/contracts';
import type { EntityManager } from 'typeorm';
import { CheckpointEntity } from '../entities/checkpoint.entity.js';
import type { ReadModelReader } from '../read-models.js';
import { matching } from './candidate-paths.js';
import { fitting } from './fitting.js';
import { type Candidate, findCandidates } from './log-candidates.js';
import type { LogRow } from './log-entry.js';
import { isForward, type LogFilter } from './log-filter.js';
import { showLines } from './log-lines.js';

export interface LogPage {
  /** Newest last. */
  readonly entries: LogRow[];
  /** All entries up to here were looked at. */
  readonly cursor: number;
  /** There is more in the direction that was asked for. */
  readonly more: boolean;
  /** Where there is more before: everything from here on was looked at. */
  readonly before?: number | undefined;
}

/** Candidates that are looked at where a pattern decides. */
export interface SearchLimits {
  /** At once; others have their turn afterwards. */
  readonly step: number;
  /** For one question. */
  readonly most: number;
}

const LIMITS: SearchLimits = { step: 200, most: 10_000 };

/** The log of a workspace: what was applied, what failed and what was denied. */
export class LogQueries {
  constructor(
    private readonly models: ReadModelReader,
    private readonly limits: SearchLimits = LIMITS,
  ) {}

  /**
   * Answers the newest `limit` entries that fit, or the oldest after a sequence; fewer, or none, where they would be too
   * many bytes or a pattern fits seldom: then there is `more`.
   */
  async find(filter: LogFilter): Promise<LogPage> {
    if (filter.matches) return this.search(filter);
    const step = await this.models.read((manager) => page(manager, filter, filter.limit, filter.limit));
    return pageOf(filter, step, step.entries);
  }

  /** A pattern cannot be asked of the database: candidates are read step by step, and others have their turn between. */
  private async search(filter: LogFilter): Promise<LogPage> {
    const forward = isForward(filter);
    let entries: LogRow[] = [];
    let from = filter;
    for (let looked = 0; ;) {
      const wanted = filter.limit - entries.length;
      const most = Math.max(this.limits.step, wanted);
      const step = await this.models.read((manager) => page(manager, from, wanted, most));
      entries = forward ? [...entries, ...step.entries] : [...step.entries, ...entries];
      looked += most;
      const enough = entries.length === filter.limit || looked >= this.limits.most;
      if (!step.more || enough || step.cut) return pageOf(filter, step, entries);
      from = { ...filter, ...(forward ? { afterSequence: step.lookedTo } : { beforeSequence: step.lookedTo }) };
      await breathe();
    }
  }
}

/** `lookedTo`: the last candidate that was looked at; `cut`: the entries reached the bytes that an answer holds. */
interface Step extends Omit<LogPage, 'before'> {
  readonly lookedTo: number;
  readonly cut: boolean;
}

const pageOf = (filter: LogFilter, { cursor, more, lookedTo }: Step, entries: LogRow[]): LogPage => ({
  entries,
  cursor,
  more,
  ...(more && !isForward(filter) && { before: lookedTo }),
});

/** Looks at `most` candidates at the most. */
async function page(manager: EntityManager, filter: LogFilter, limit: number, most: number): Promise<Step> {
  const found = await findCandidates(manager, { ...filter, limit: most + 1 });
  const liked = await matching(manager, filter, found.slice(0, most));
  const lines = await showLines(manager, filter, liked.slice(0, limit));
  const shown = fitting(lines);
  const more = found.length > most || shown.length < liked.length;
  const lookedTo = sequenceOf(shown.length < liked.length ? liked[shown.length - 1] : found.slice(0, most).at(-1));
  const cursor =
    isForward(filter) && more ? lookedTo : Math.max(await foldedTo(manager, filter), filter.afterSequence ?? 0);
  const entries = isForward(filter) ? shown : shown.toReversed();
  return { entries, cursor, more, lookedTo, cut: shown.length < lines.length };
}

const sequenceOf = (row: Candidate | undefined): number => row?.sequence ?? 0;

/** Where the workspace's lane stands in the state of the tables that is read. */
async function foldedTo(manager: EntityManager, { workspace }: LogFilter): Promise<number> {
  const lane = String(partitionOf(workspace));
  return (await manager.findOneBy(CheckpointEntity, { lane }))?.sequence ?? 0;
}
