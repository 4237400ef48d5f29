import { setTimeout as sleep } from 'node:timers/promises';
import { type BlobHash, isOperator, type OperationApplied, type Principal, type StoredEvent } from '@retrace/contracts';
import { LmdbPositions, openEnvironment, type Position } from '@retrace/event-log';
import type { Database, RootDatabase } from 'lmdb';
import { type Place, withPlace } from './place.js';
import { sightingsOf } from './places-of-record.js';

/** The lane is this far behind at most, in practice: whoever asks for what it has just written is not sent away. */
const WAIT_MS = 1_000;
const STEP_MS = 20;

/** Kept by earlier versions: who had to do with a content, but not where. What took their place is read from the log. */
const OUTDATED = ['seen', 'positions'];

type Rows = Database<readonly Place[], [principal: string, hash: string]>;

/**
 * What the log says of who had to do with which content, and where: it stood at these paths before or after the
 * principal's own operation. Nothing can be told to the store here but by an event of the log.
 */
export class SeenContents {
  private closed = false;

  private constructor(
    private readonly root: RootDatabase,
    private readonly rows: Rows,
    readonly positions: LmdbPositions,
    private readonly waitMs: number,
  ) {}

  static open(folder: string, durability: 'process' | 'power', waitMs: number = WAIT_MS): SeenContents {
    const root = openEnvironment(folder, 'seen', durability);
    for (const name of OUTDATED) root.openDB({ name }).dropSync();
    return new SeenContents(
      root,
      root.openDB({ name: 'places' }),
      new LmdbPositions(root.openDB({ name: 'places-positions' })),
      waitMs,
    );
  }

  /**
   * Where a content stood for the principal, the oldest place first; again whenever there are others, for a moment: an
   * operation that was just done counts. Never empty.
   */
  async *places(principal: Principal, hash: BlobHash): AsyncGenerator<readonly Place[]> {
    const deadline = performance.now() + this.waitMs;
    let told: Place | undefined;
    while (!this.closed) {
      const places = this.rows.get([principal, hash]) ?? [];
      const newest = places.at(-1);
      if (newest && !isSame(newest, told)) yield places;
      told = newest;
      if (performance.now() >= deadline) return;
      await sleep(STEP_MS);
    }
  }

  /** Rows and position are one transaction. Operators read everything: nothing is kept for them. */
  fold(event: StoredEvent<typeof OperationApplied>, lane: string, position: Position): void {
    this.root.transactionSync(() => {
      if (!isOperator(event.agent)) this.keepPlaces(event);
      this.positions.advance(lane, position);
    });
  }

  pass(lane: string, position: Position): void {
    this.root.transactionSync(() => this.positions.advance(lane, position));
  }

  /** What the log lost was done all the same: its rows stay. */
  rewind(lane: string, to: Position | undefined): void {
    this.root.transactionSync(() => this.positions.rewind(lane, to));
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.root.close();
  }

  /** Operations in their order: where a content came from is known from those before. */
  private keepPlaces({ agent, workspace, data }: StoredEvent<typeof OperationApplied>): void {
    const changed = new Map<BlobHash, readonly Place[]>();
    const known = (hash: BlobHash): readonly Place[] => changed.get(hash) ?? this.rows.get([agent, hash]) ?? [];
    for (const record of data.operations)
      for (const { hash, place } of sightingsOf(record, workspace, known)) {
        const before = known(hash);
        const after = withPlace(before, place);
        if (after !== before) changed.set(hash, after);
      }
    for (const [hash, places] of changed) void this.rows.put([agent, hash], places);
  }
}

const isSame = (one: Place, other: Place | undefined): boolean =>
  one.workspace === other?.workspace && one.path === other.path;
