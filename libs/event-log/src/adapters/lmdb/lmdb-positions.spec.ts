import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { open, type RootDatabase } from 'lmdb';
import type { Position } from '../../lanes/position.js';
import { LmdbPositions } from './lmdb-positions.js';

const at = (sequence: number): Position => ({ sequence, eventId: `evt-${sequence}` });

describe('LmdbPositions', () => {
  let folder: string;
  let root: RootDatabase;
  let positions: LmdbPositions;
  let databases = 0;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-positions-'));
    root = open({ path: join(folder, 'store'), maxDbs: 1000 });
  });
  afterAll(async () => {
    await root.close();
    rmSync(folder, { recursive: true });
  });
  const fresh = (): LmdbPositions => new LmdbPositions(root.openDB({ name: `positions-${databases++}` }));
  beforeEach(() => {
    positions = fresh();
  });

  const advance = (lane: string, ...sequences: number[]): void =>
    root.transactionSync(() => sequences.forEach((sequence) => positions.advance(lane, at(sequence))));
  const rewind = (lane: string, to: Position | undefined): void =>
    root.transactionSync(() => positions.rewind(lane, to));
  const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

  it('knows nothing of a lane that has not moved', () => {
    expect(positions.load('1')).toBeUndefined();
    expect(positions.trail('1')).toEqual([]);
    expect(positions.lanes()).toEqual([]);
  });

  it('keeps the newest position of each lane', () => {
    advance('1', 3, 7);
    advance('12', 5);
    advance('docs', 6);
    expect([positions.load('1'), positions.load('12'), positions.load('docs')]).toEqual([at(7), at(5), at(6)]);
    expect(positions.lanes().toSorted()).toEqual(['1', '12', 'docs']);
  });

  it('never goes back by advancing', () => {
    advance('1', 7, 7, 3);
    expect(positions.load('1')).toEqual(at(7));
  });

  it('keeps every 16th position, newest first, of this lane alone', () => {
    advance('1', ...upTo(50));
    advance('10', ...upTo(40));
    expect(positions.trail('1')).toEqual([48, 32, 16].map(at));
    expect(positions.trail('10')).toEqual([32, 16].map(at));
    expect(positions.lanes().toSorted()).toEqual(['1', '10']);
  });

  it('keeps the trail short, and milestones for good', () => {
    advance('1', ...upTo(10_000));
    const trail = positions.trail('1');
    expect(trail[0]).toEqual(at(10_000));
    expect(trail).toHaveLength(128 + 1);
    expect(trail.at(-1)).toEqual(at(4096));
  });

  it('goes back to a place of its trail, and forgets what was after it', () => {
    advance('1', ...upTo(50));
    rewind('1', at(32));
    expect(positions.load('1')).toEqual(at(32));
    expect(positions.trail('1')).toEqual([32, 16].map(at));
    advance('1', 33);
    expect(positions.load('1')).toEqual(at(33));
  });

  it('goes back to the very beginning', () => {
    advance('1', ...upTo(50));
    advance('2', ...upTo(20));
    rewind('1', undefined);
    expect(positions.load('1')).toBeUndefined();
    expect(positions.trail('1')).toEqual([]);
    expect(positions.lanes()).toEqual(['2']);
    expect(positions.trail('2')).toEqual([at(16)]);
  });

  it('gives up with the effect what it wrote in its transaction', () => {
    advance('1', 1);
    expect(() =>
      root.transactionSync(() => {
        positions.advance('1', at(2));
        throw new Error('the effect failed');
      }),
    ).toThrow('the effect failed');
    expect(positions.load('1')).toEqual(at(1));
  });

  it('behaves like a list of all positions, thinned', () => {
    const moves = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ kind: fc.constant('on' as const), by: fc.integer({ min: -3, max: 40 }) }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('back' as const), by: fc.integer({ min: 0, max: 9 }) }) },
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(moves, (list) => {
        positions = fresh();
        let model: number[] = [];
        for (const { kind, by } of list) {
          const last = model.at(-1) ?? 0;
          if (kind === 'on') {
            const next = by > 0 ? Array.from({ length: by }, (_, i) => last + 1 + i) : [Math.max(1, last + by)];
            advance('1', ...next);
            model.push(...next.filter((sequence) => sequence > last));
          } else {
            const to = positions.trail('1')[by];
            rewind('1', to);
            model = to ? model.filter((sequence) => sequence <= to.sequence) : [];
          }
          const trail = positions.trail('1').map(({ sequence }) => sequence);
          expect(positions.load('1')?.sequence).toBe(model.at(-1));
          expect(trail).toEqual(trail.toSorted((a, b) => b - a));
          expect(trail.every((sequence) => model.includes(sequence))).toBe(true);
          // Wherever the log is cut, a place not much further back is known.
          expect(trail.length).toBeGreaterThanOrEqual(Math.floor(model.length / 16) - list.length);
        }
      }),
      { numRuns: 60 },
    );
  });
});
