import { setTimeout as sleep } from 'node:timers/promises';
import { type BlobHash, isOperator, type OperationApplied, type Principal, type StoredEvent } from '@retrace/contracts';
import { FoldBatch, LmdbPositions, openEnvironment, type Position } from '@retrace/event-log';
import type { Database, RootDatabase } from 'lmdb';
import { type Place, withPlace } from './place.js';
import { sightingsOf } from './places-of-record.js';

/** The lane is this far behind at most, in practice: whoever asks for what it has just written is not sent away. */
const WAIT_MS = 1_000;
const STEP_MS = 20;

/** Kept by earlier versions: who had to do with a content, but not where. What took their place is read from the log. */
const OUTDATED = ['seen', 'positions'];

type Rows = Database<readonly Place[], [principal: string, hash: string]>;
type Applied = StoredEvent<typeof OperationApplied>;

/**
 * What the log says of who had to do with which content, and where: it stood at these paths before or after the
 * principal's own operation. Nothing can be told to the store here but by an event of the log.
 */
export class SeenContents {
  readonly positions: FoldBatch<Applied>;
  private closed = false;

  private constructor(
    private readonly root: RootDatabase,
    private readonly rows: Rows,
    private readonly stored: LmdbPositions,
    private readonly waitMs: number,
  ) {
    this.positions = new FoldBatch({ root, positions: stored, write: (events) => this.keepPlaces(events) });
  }

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
      this.positions.flush();
      const places = this.rows.get([principal, hash]) ?? [];
      const newest = places.at(-1);
      if (newest && !isSame(newest, told)) yield places;
      told = newest;
      if (performance.now() >= deadline) return;
      await sleep(STEP_MS);
    }
  }

  /** Rows and position are one transaction, a moment later. Operators read everything: nothing is kept for them. */
  fold(event: Applied, lane: string, position: Position): void {
    if (isOperator(event.agent)) this.pass(lane, position);
    else this.positions.add(lane, position, event);
  }

  pass(lane: string, position: Position): void {
    this.positions.add(lane, position);
  }

  /** What the log lost was done all the same: its rows stay. */
  rewind(lane: string, to: Position | undefined): void {
    this.positions.flush();
    this.positions.drop(lane);
    this.root.transactionSync(() => this.stored.rewind(lane, to));
  }

  async close(): Promise<void> {
    this.closed = true;
    this.positions.flush();
    await this.root.close();
  }

  /** Operations in their order: where a content came from is known from those before. */
  private keepPlaces(events: readonly Applied[]): void {
    const places = new PlacesInTransaction(this.rows);
    for (const { agent, workspace, data } of events)
      for (const record of data.operations)
        for (const { hash, place } of sightingsOf(record, workspace, (known) => places.of(agent, known)))
          places.add(agent, hash, place);
    places.write();
  }
}

/** Reads each row once and writes it once, whatever comes to it in between. */
class PlacesInTransaction {
  private readonly known = new Map<string, readonly Place[]>();
  private readonly changed = new Map<string, [principal: Principal, hash: BlobHash]>();

  constructor(private readonly rows: Rows) {}

  of(principal: Principal, hash: BlobHash): readonly Place[] {
    const key = `${principal} ${hash}`;
    const known = this.known.get(key) ?? this.rows.get([principal, hash]) ?? [];
    this.known.set(key, known);
    return known;
  }

  add(principal: Principal, hash: BlobHash, place: Place): void {
    const before = this.of(principal, hash);
    const after = withPlace(before, place);
    if (after === before) return;
    const key = `${principal} ${hash}`;
    this.known.set(key, after);
    this.changed.set(key, [principal, hash]);
  }

  write(): void {
    for (const [key, [principal, hash]] of this.changed) void this.rows.put([principal, hash], this.known.get(key)!);
  }
}

const isSame = (one: Place, other: Place | undefined): boolean =>
  one.workspace === other?.workspace && one.path === other.path;
