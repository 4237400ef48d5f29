import { partitionOf, type StoredEvent } from '@retrace/contracts';
import { FoldedEventEntity } from '../entities/folded-event.entity.js';
import { LANE_ENTITIES, WORKSPACE_ENTITIES } from '../read-model-database.js';
import type { ReadModels } from '../read-models.js';
import { type Checkpoint, Checkpoints, type FoldPosition, type Passed } from './checkpoints.js';
import { foldEvent } from './folds.js';
import { Rows, type Wanted } from './rows.js';
import { wantedRows } from './wanted-rows.js';

/** One place of a lane: an event to fold there, or what is passed by. */
export interface FoldStep extends Passed {
  readonly position: FoldPosition;
  /** Absent: what stands there is folded into nothing. */
  readonly event?: StoredEvent | undefined;
}

/** Folds the log into the read models, lane by lane. Each method is one transaction of its own. */
export class ReadModelFolds {
  constructor(private readonly models: ReadModels) {}

  /**
   * Folds what stands at some places of a lane, in their order, and moves the checkpoint behind the last: all of it or
   * nothing. What stands at or before the checkpoint was folded already; an event with the id of an earlier one moves the
   * checkpoint alone. Answers where the lane stands then.
   */
  foldAll(lane: string, steps: readonly FoldStep[]): Promise<Checkpoint | undefined> {
    return this.models.transaction(async (manager) => {
      const rows = new Rows(manager);
      const checkpoints = new Checkpoints(manager, rows);
      const before = await checkpoints.load(lane);
      const fresh = steps.filter(({ position }) => position.sequence > (before?.sequence ?? 0));
      if (fresh.length > 1) await rows.fetch(wantedBy(lane, fresh));
      let now = before;
      for (const { position, event, ...passed } of fresh) {
        if (event) await foldOnce(rows, lane, event);
        now = checkpoints.pass(lane, now, position, passed);
      }
      if (now && now !== before) await checkpoints.advance(before, now);
      await rows.flush();
      return now;
    });
  }

  /** Folds one event. `messages`: how many it takes in the log. */
  async fold(lane: string, event: StoredEvent, messages = 1): Promise<Checkpoint> {
    const position = { sequence: event.sequence, eventId: event.id };
    return (await this.foldAll(lane, [{ position, event, messages }]))!;
  }

  /** Moves the checkpoint past an event that is folded into nothing. */
  async pass(lane: string, position: FoldPosition, passed: Passed = {}): Promise<Checkpoint> {
    return (await this.foldAll(lane, [{ position, ...passed }]))!;
  }

  /** Removes what the lane's events left, its checkpoint included: the lane is then folded from the log's beginning. */
  forget(lane: string): Promise<void> {
    return this.models.transaction(async (manager) => {
      const rows = new Rows(manager);
      for (const entity of WORKSPACE_ENTITIES) await forgetIn(rows, entity, lane);
      for (const entity of LANE_ENTITIES) await rows.remove(entity, { lane });
    });
  }

  position(lane: string): Promise<FoldPosition | undefined> {
    return this.models.read((manager) => new Checkpoints(manager).load(lane));
  }

  positions(): Promise<Checkpoint[]> {
    return this.models.read((manager) => new Checkpoints(manager).all());
  }

  /** Earlier positions, newest first. */
  trail(lane: string): Promise<readonly FoldPosition[]> {
    return this.models.read((manager) => new Checkpoints(manager).trail(lane));
  }
}

function* wantedBy(lane: string, steps: readonly FoldStep[]): Generator<Wanted> {
  for (const { event } of steps)
    if (event) {
      yield [FoldedEventEntity, { lane, eventId: event.id }];
      yield* wantedRows(event);
    }
}

/** An event that the log holds a second time changes nothing. */
async function foldOnce(rows: Rows, lane: string, event: StoredEvent): Promise<void> {
  const { id: eventId, sequence } = event;
  if ((await rows.add(FoldedEventEntity, [{ lane, eventId, sequence }])) === 1) await foldEvent(rows, event);
}

async function forgetIn(rows: Rows, entity: (typeof WORKSPACE_ENTITIES)[number], lane: string): Promise<void> {
  for (const workspace of await rows.workspacesIn(entity))
    if (String(partitionOf(workspace)) === lane) await rows.remove(entity, { workspace });
}
