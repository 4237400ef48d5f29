import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database, RootDatabase } from 'lmdb';
import type { Position } from '../../lanes/position.js';
import { FoldBatch } from './fold-batch.js';
import { LmdbPositions } from './lmdb-positions.js';
import { openEnvironment } from './open-environment.js';

const at = (sequence: number): Position => ({ sequence, eventId: `evt-${sequence}` });
const NEVER_MS = 60_000;

describe('FoldBatch', () => {
  let folder: string;
  let root: RootDatabase;
  let rows: Database<string, string>;
  let positions: LmdbPositions;
  let transactions: string[][];
  let broken: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-batch-'));
    root = openEnvironment(folder, 'batch', 'process');
    rows = root.openDB({ name: 'rows' });
    positions = new LmdbPositions(root.openDB({ name: 'positions' }));
    [transactions, broken] = [[], []];
  });
  afterEach(async () => {
    await root.close();
    rmSync(folder, { recursive: true });
  });

  const batch = (waitMs = NEVER_MS): FoldBatch<string> =>
    new FoldBatch({
      root,
      positions,
      waitMs,
      write: (effects) => {
        transactions.push([...effects]);
        for (const effect of effects) void rows.put(effect, effect);
        if (effects.some((effect) => broken.includes(effect))) throw new Error('disk full');
      },
    });
  const written = (): string[] => [...rows.getKeys()];

  it('writes effects of many events, and where their lanes stand, in one transaction', () => {
    const folds = batch();
    folds.add('1', at(3), 'a');
    folds.add('2', at(4), 'b', 'c');
    folds.add('1', at(5));
    expect([written(), positions.load('1')]).toEqual([[], undefined]);
    folds.flush();
    expect(transactions).toEqual([['a', 'b', 'c']]);
    expect(written()).toEqual(['a', 'b', 'c']);
    expect([positions.load('1'), positions.load('2')]).toEqual([at(5), at(4)]);
  });

  it('tells a position before it is written, and the stored one where none waits', () => {
    root.transactionSync(() => positions.advance('2', at(9)));
    const folds = batch();
    folds.add('1', at(3), 'a');
    folds.add('2', at(4), 'b');
    expect([folds.load('1'), folds.load('2'), folds.load('3')]).toEqual([at(3), at(9), undefined]);
  });

  it('writes by itself after a moment, and at once where much waits', async () => {
    const folds = batch(1);
    folds.add('1', at(1), 'a');
    while (written().length === 0) await sleep(1);
    expect([written(), positions.load('1')]).toEqual([['a'], at(1)]);
    const many = batch();
    for (let i = 2; i < 302; i++) many.add('1', at(i), `b${i}`);
    expect(written().length).toBeGreaterThan(200);
  });

  it('holds up the lane alone whose effect cannot be written, and goes on once it can', () => {
    const folds = batch();
    broken = ['b'];
    folds.add('1', at(1), 'a');
    folds.add('1', at(2), 'b');
    folds.add('2', at(3), 'c');
    folds.add('1', at(4), 'd');
    folds.flush();
    expect(written()).toEqual(['a', 'c']);
    expect([folds.load('1'), folds.load('2')]).toEqual([at(1), at(3)]);
    expect(() => folds.add('1', at(5), 'e')).toThrow('disk full');
    folds.add('2', at(6), 'f');
    broken = [];
    folds.add('1', at(5), 'e');
    folds.flush();
    expect(written()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(positions.load('1')).toEqual(at(5));
  });

  it('forgets what waits of a lane that goes back', () => {
    const folds = batch();
    folds.add('1', at(1), 'a');
    folds.add('2', at(2), 'b');
    folds.drop('1');
    folds.flush();
    expect([written(), folds.load('1'), folds.load('2')]).toEqual([['b'], undefined, at(2)]);
  });
});
