import { partitionOf, type StoredEvent } from '@retrace/contracts';
import { failpoint } from '@retrace/platform/failpoint';
import type { EntityManager } from 'typeorm';
import { FoldedEventEntity } from '../entities/folded-event.entity.js';
import { LANE_ENTITIES, WORKSPACE_ENTITIES } from '../read-model-database.js';
import type { ReadModels } from '../read-models.js';
import { type Checkpoint, Checkpoints, type FoldPosition, type Passed } from './checkpoints.js';
import { foldEvent } from './folds.js';
import { Rows } from './rows.js';

/** Folds the log into the read models, lane by lane. Each method is one transaction of its own. */
export class ReadModelFolds {
  constructor(private readonly models: ReadModels) {}

  /**
   * Folds the event at its place in the lane and moves the checkpoint there. An event at or before the checkpoint was
   * folded already; one with the id of an earlier one moves the checkpoint alone. Answers where the lane stands then.
   * `messages`: how many the event takes in the log.
   */
  fold(lane: string, event: StoredEvent, messages = 1): Promise<Checkpoint> {
    const position = { sequence: event.sequence, eventId: event.id };
    return this.at(lane, position, { messages }, async (manager) => {
      const rows = new Rows(manager);
      const key = { lane, eventId: event.id };
      if (await rows.one(FoldedEventEntity, key)) return;
      await rows.add(FoldedEventEntity, [{ ...key, sequence: event.sequence }]);
      await foldEvent(rows, event);
    });
  }

  /** Moves the checkpoint past an event that is folded into nothing. */
  pass(lane: string, position: FoldPosition, passed: Passed = {}): Promise<Checkpoint> {
    return this.at(lane, position, passed, () => Promise.resolve());
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

  private at(
    lane: string,
    position: FoldPosition,
    passed: Passed,
    effect: (manager: EntityManager) => Promise<void>,
  ): Promise<Checkpoint> {
    return this.models.transaction(async (manager) => {
      const checkpoints = new Checkpoints(manager);
      const before = await checkpoints.load(lane);
      if (before && before.sequence >= position.sequence) return before;
      await effect(manager);
      const checkpoint = await checkpoints.advance(lane, before, position, passed);
      failpoint('projection.before-commit');
      return checkpoint;
    });
  }
}

async function forgetIn(rows: Rows, entity: (typeof WORKSPACE_ENTITIES)[number], lane: string): Promise<void> {
  for (const workspace of await rows.workspacesIn(entity))
    if (String(partitionOf(workspace)) === lane) await rows.remove(entity, { workspace });
}
