import type { RootDatabase } from 'lmdb';
import type { Position, PositionStore } from '../../lanes/position.js';
import type { LmdbPositions } from './lmdb-positions.js';

/** How long an effect waits for others. */
const WAIT_MS = 20;
/** So many effects do not wait. */
const MOST = 256;
/** After a write that failed. */
const RETRY_MS = 1_000;

export interface FoldBatchOptions<Effect> {
  readonly root: Pick<RootDatabase, 'transactionSync'>;
  readonly positions: LmdbPositions;
  /** Writes effects, in their order; called inside a transaction, and again with them where that failed. */
  readonly write: (effects: readonly Effect[]) => void;
  readonly waitMs?: number;
}

interface Waiting<Effect> {
  readonly lane: string;
  readonly position: Position;
  readonly effects: readonly Effect[];
}

/**
 * Writes what lanes fold a moment later: many effects in one transaction, with the positions that they lead to. What was
 * not written when the process died is delivered again, so an effect must be one that may come twice. Whoever reads the
 * store calls {@link FoldBatch.flush} before. An effect that cannot be written holds up its own lane alone.
 */
export class FoldBatch<Effect> implements PositionStore {
  private waiting: Waiting<Effect>[] = [];
  private readonly newest = new Map<string, Position | undefined>();
  private readonly failed = new Map<string, unknown>();
  private timer: NodeJS.Timeout | undefined;
  private writing = false;

  constructor(private readonly options: FoldBatchOptions<Effect>) {}

  /** Also of what waits; of a lane that is held up, how far it is written. */
  load(lane: string): Position | undefined {
    if (!this.newest.has(lane)) this.newest.set(lane, this.options.positions.load(lane));
    return this.newest.get(lane);
  }

  /** Nothing waits: the store holds all that came. */
  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  trail(lane: string): readonly Position[] {
    return this.options.positions.trail(lane);
  }

  /** Takes in what an event leads to. Throws where an earlier effect of the lane cannot be written. */
  add(lane: string, position: Position, ...effects: readonly Effect[]): void {
    if (this.failed.has(lane) || this.waiting.length >= MOST) this.settle(lane);
    this.waiting.push({ lane, position, effects });
    if ((this.load(lane)?.sequence ?? 0) < position.sequence) this.newest.set(lane, position);
    this.timer ??= setTimeout(() => this.flush(), this.options.waitMs ?? WAIT_MS).unref();
  }

  /** Writes what waits. Inside of `write` it does nothing: what is read there is what was written so far. */
  flush(): void {
    const { waiting } = this;
    if (this.writing || waiting.length === 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.failed.clear();
    this.waiting = this.isWritten(waiting) ? [] : waiting.filter((each) => !this.isWrittenAlone(each));
    if (this.waiting.length > 0) this.timer = setTimeout(() => this.flush(), RETRY_MS).unref();
  }

  /** Writes what waits; throws where something of the lane cannot be written. */
  settle(lane: string): void {
    this.flush();
    if (this.failed.has(lane)) throw this.failed.get(lane);
  }

  /** Forgets what waits of a lane, and where it stood: its stored position is about to change. */
  drop(lane: string): void {
    this.waiting = this.waiting.filter((each) => each.lane !== lane);
    this.failed.delete(lane);
    this.newest.delete(lane);
  }

  private isWritten(waiting: readonly Waiting<Effect>[]): boolean {
    try {
      this.write(waiting);
      return true;
    } catch {
      return false;
    }
  }

  /** Nothing of a lane is written past what failed. */
  private isWrittenAlone(one: Waiting<Effect>): boolean {
    if (this.failed.has(one.lane)) return false;
    try {
      this.write([one]);
      return true;
    } catch (error) {
      this.failed.set(one.lane, error);
      this.newest.delete(one.lane);
      return false;
    }
  }

  private write(waiting: readonly Waiting<Effect>[]): void {
    const { root, positions, write } = this.options;
    this.writing = true;
    try {
      root.transactionSync(() => {
        write(waiting.flatMap(({ effects }) => effects));
        const reached = new Map(waiting.map(({ lane, position }) => [lane, position]));
        for (const [lane, position] of reached) positions.advance(lane, position);
      });
    } finally {
      this.writing = false;
    }
  }
}
