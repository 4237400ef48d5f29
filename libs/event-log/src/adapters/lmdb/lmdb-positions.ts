import { failpoint } from '@retrace/platform/failpoint';
import type { Database } from 'lmdb';
import type { Position, PositionStore } from '../../lanes/position.js';

/** Every 16th position is kept for a while, so that a rewind finds its place without a write per event. */
const STEP = 16;
const KEPT_STEPS = 128;
/** And every 4096th for good. */
const MILESTONE = 4096;

interface Stored extends Position {
  /** How many positions this lane has seen: the key of its trail. */
  readonly count: number;
}

type Key = string | [lane: string, count: number];

/** Positions in an LMDB database of the service's own environment. */
export class LmdbPositions implements PositionStore {
  constructor(private readonly database: Database<Stored, Key>) {}

  load(lane: string): Position | undefined {
    const stored = this.database.get(lane);
    return stored && { sequence: stored.sequence, eventId: stored.eventId };
  }

  lanes(): string[] {
    return [...this.database.getKeys()].filter((key) => typeof key === 'string');
  }

  trail(lane: string): readonly Position[] {
    const range = { start: [lane, Number.MAX_SAFE_INTEGER] as Key, end: [lane, 0] as Key, reverse: true };
    return [...this.database.getRange(range)].map(({ value }) => ({
      sequence: value.sequence,
      eventId: value.eventId,
    }));
  }

  /** Call inside the write transaction of the effect. An older position than the stored one changes nothing. */
  advance(lane: string, position: Position): void {
    const before = this.database.get(lane);
    if (before && before.sequence >= position.sequence) return;
    const count = (before?.count ?? 0) + 1;
    const stored: Stored = { sequence: position.sequence, eventId: position.eventId, count };
    void this.database.put(lane, stored);
    failpoint('position.in-transaction');
    if (count % STEP !== 0) return;
    void this.database.put([lane, count], stored);
    const old = count - STEP * KEPT_STEPS;
    if (old > 0 && old % MILESTONE !== 0) void this.database.remove([lane, old]);
  }

  /** Puts a lane back to an earlier position, or to its very beginning. Call inside a write transaction. */
  rewind(lane: string, to: Position | undefined): void {
    const stored = this.database.get(lane);
    const later = [...this.database.getRange({ start: [lane, 0] as Key, end: [lane, Number.MAX_SAFE_INTEGER] as Key })];
    for (const { key, value } of later) if (!to || value.sequence > to.sequence) void this.database.remove(key);
    if (to && stored) void this.database.put(lane, { ...to, count: stored.count });
    else void this.database.remove(lane);
  }
}
