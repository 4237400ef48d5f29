import type { StoredEvent } from '@retrace/contracts';
import type { LaneDelivery, Position, PositionStore } from '@retrace/event-log';
import { failpoint } from '@retrace/platform/failpoint';
import type { ReadModelFolds } from '@retrace/read-models';
import type { Progress } from './progress.js';

type Place = Pick<LaneDelivery, 'lane' | 'position' | 'pages'>;

/** The lanes' way into the read models. Returning means committed, rows and position together. */
export class LaneFolds implements PositionStore {
  private constructor(
    private readonly folds: ReadModelFolds,
    private readonly progress: Progress,
  ) {}

  static async open(folds: ReadModelFolds, progress: Progress): Promise<LaneFolds> {
    for (const checkpoint of await folds.positions()) progress.set(checkpoint.lane, checkpoint);
    return new LaneFolds(folds, progress);
  }

  async fold(event: StoredEvent, { lane, pages }: Place): Promise<void> {
    const checkpoint = await this.folds.fold(lane, event, pages.length);
    failpoint('projection.after-commit');
    this.progress.set(lane, checkpoint);
  }

  /** Passes by what is folded into nothing: a rejected message, or one of a kind that this version does not know. */
  async pass({ lane, position, pages }: Place, unknown: boolean): Promise<void> {
    this.progress.set(lane, await this.folds.pass(lane, position, { messages: pages.length, unknown }));
  }

  /** The read models are a disposable view: what the lane left in them goes. */
  async forget(lane: string): Promise<void> {
    await this.folds.forget(lane);
    this.progress.reset(lane);
  }

  load(lane: string): Promise<Position | undefined> {
    return this.folds.position(lane);
  }

  trail(lane: string): Promise<readonly Position[]> {
    return this.folds.trail(lane);
  }
}
