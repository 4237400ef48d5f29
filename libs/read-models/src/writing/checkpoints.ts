import type { EntityManager } from 'typeorm';
import { CheckpointTrailEntity } from '../entities/checkpoint-trail.entity.js';
import { CheckpointEntity } from '../entities/checkpoint.entity.js';
import type { RowOf } from '../entities/row-of.js';
import { Rows } from './rows.js';

/** Every 16th place is kept for a while: a rewind names its last match without a write per event. */
const STEP = 16;
const KEPT_STEPS = 128;
/** And every 4096th for good. */
const MILESTONE = 4096;

/** Where a lane stands: a sequence, and the id of the event that stood there when it was folded. */
export interface FoldPosition {
  readonly sequence: number;
  readonly eventId: string;
}

/** What is passed besides one event that was folded. */
export interface Passed {
  /** Messages of the event: a large one has several. */
  readonly messages?: number;
  /** Whether the event was of a kind that this version does not know. */
  readonly unknown?: boolean;
}

export type Checkpoint = RowOf<CheckpointEntity>;

/** The checkpoints, inside one transaction. */
export class Checkpoints {
  constructor(
    private readonly manager: EntityManager,
    private readonly rows = new Rows(manager),
  ) {}

  load(lane: string): Promise<Checkpoint | undefined> {
    return this.rows.one(CheckpointEntity, { lane });
  }

  all(): Promise<Checkpoint[]> {
    return this.rows.find(CheckpointEntity, {});
  }

  /** Newest first. */
  trail(lane: string): Promise<CheckpointTrailEntity[]> {
    return this.manager.find(CheckpointTrailEntity, { where: { lane }, order: { count: 'DESC' } });
  }

  /** The checkpoint one place on; leaves the trail, and nothing else yet. */
  pass(lane: string, from: Checkpoint | undefined, { sequence, eventId }: FoldPosition, passed: Passed): Checkpoint {
    const { messages = 1, unknown = false } = passed;
    const before = from ?? { count: 0, messages: 0, unknown: 0 };
    const next = {
      lane,
      sequence,
      eventId,
      count: before.count + 1,
      messages: before.messages + messages,
      unknown: before.unknown + Number(unknown),
    };
    if (next.count % STEP === 0) this.leaveTrail(next);
    return next;
  }

  /** Moves a lane on from where it was read. Throws where somebody else moved it meanwhile: a late leader changes nothing. */
  async advance(from: Checkpoint | undefined, next: Checkpoint): Promise<void> {
    const { lane } = next;
    if (!from) this.rows.put(CheckpointEntity, [next]);
    else if ((await this.rows.set(CheckpointEntity, { lane, sequence: from.sequence }, next)) !== 1)
      throw new Error(`the checkpoint of lane ${lane} no longer stands at ${from.sequence}`);
  }

  private leaveTrail({ lane, count, sequence, eventId }: Checkpoint): void {
    this.rows.put(CheckpointTrailEntity, [{ lane, count, sequence, eventId }]);
    const old = count - STEP * KEPT_STEPS;
    if (old > 0 && old % MILESTONE !== 0) this.rows.removeOne(CheckpointTrailEntity, { lane, count: old });
  }
}
