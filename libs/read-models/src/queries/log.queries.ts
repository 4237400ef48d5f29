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
}

/** Candidates looked at in one step where a pattern decides, and in one question that goes forward. */
const STEP = 200;
const MOST = 10_000;

/** The log of a workspace: what was applied, what failed and what was denied. */
export class LogQueries {
  constructor(private readonly models: ReadModelReader) {}

  /** Answers the newest `limit` entries that fit, or the oldest after a sequence; fewer where they would be too many bytes. */
  async find(filter: LogFilter): Promise<LogPage> {
    if (filter.matches) return this.search(filter);
    const { entries, cursor, more } = await this.models.read((manager) => page(manager, filter, filter.limit));
    return { entries, cursor, more };
  }

  /** A pattern cannot be asked of the database: candidates are read step by step, and others have their turn between. */
  private async search(filter: LogFilter): Promise<LogPage> {
    const forward = isForward(filter);
    let entries: LogRow[] = [];
    let from = filter;
    for (let looked = STEP; ; looked += STEP) {
      const step = await this.models.read((manager) => page(manager, from, filter.limit - entries.length));
      entries = forward ? [...entries, ...step.entries] : [...step.entries, ...entries];
      const enough = entries.length === filter.limit || (forward && looked >= MOST);
      if (!step.more || enough || step.cut) return { entries, cursor: step.cursor, more: step.more };
      from = { ...filter, ...(forward ? { afterSequence: step.lookedTo } : { beforeSequence: step.lookedTo }) };
      await breathe();
    }
  }
}

/** `lookedTo`: the last candidate that was looked at; `cut`: the entries reached the bytes that an answer holds. */
interface Step extends LogPage {
  readonly lookedTo: number;
  readonly cut: boolean;
}

async function page(manager: EntityManager, filter: LogFilter, limit: number): Promise<Step> {
  const most = filter.matches ? Math.max(STEP, limit) : limit;
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
