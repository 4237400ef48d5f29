import type { StoredEvent } from '@retrace/contracts';
import type { LaneDelivery, Position, PositionStore } from '@retrace/event-log';
import type { FoldPosition, FoldStep, ReadModelFolds } from '@retrace/read-models';
import { FoldQueue } from './fold-queue.js';
import type { Progress } from './progress.js';

type Place = Pick<LaneDelivery, 'lane' | 'position' | 'pages'>;
type OnTrouble = (error: unknown, position: FoldPosition) => void;

/**
 * The lanes' way into the read models. Returning means taken in: it is folded a moment later, rows and position together,
 * and read again where that did not come about. The positions that lanes ask for are those that are folded.
 */
export class LaneFolds implements PositionStore {
  private readonly queue: FoldQueue;

  private constructor(
    private readonly folds: ReadModelFolds,
    private readonly progress: Progress,
    onTrouble: OnTrouble,
  ) {
    const onFolded = progress.set.bind(progress);
    this.queue = new FoldQueue({ folds, onFolded, onTrouble });
  }

  static async open(folds: ReadModelFolds, progress: Progress, onTrouble: OnTrouble): Promise<LaneFolds> {
    for (const checkpoint of await folds.positions()) progress.set(checkpoint.lane, checkpoint);
    return new LaneFolds(folds, progress, onTrouble);
  }

  fold(event: StoredEvent, place: Place): Promise<void> {
    return this.add(place, { event });
  }

  /** Passes by what is folded into nothing: a rejected message, or one of a kind that this version does not know. */
  pass(place: Place, unknown: boolean): Promise<void> {
    return this.add(place, { unknown });
  }

  /** Folds what was taken in, as far as it can be: the rest is read again by whoever reads next. */
  end(): Promise<void> {
    return this.queue.end();
  }

  /** The read models are a disposable view: what the lane left in them goes. */
  async forget(lane: string): Promise<void> {
    await this.queue.drop(lane);
    await this.folds.forget(lane);
    this.progress.reset(lane);
  }

  /** What is still to be folded is forgotten: the lane begins where it is folded to. */
  async load(lane: string): Promise<Position | undefined> {
    await this.queue.drop(lane);
    return this.folds.position(lane);
  }

  trail(lane: string): Promise<readonly Position[]> {
    return this.folds.trail(lane);
  }

  private add({ lane, position, pages }: Place, folded: Pick<FoldStep, 'event' | 'unknown'>): Promise<void> {
    const bytes = pages.reduce((sum, { data }) => sum + data.length, 0);
    return this.queue.add(lane, { position, messages: pages.length, ...folded }, bytes);
  }
}
