import 'reflect-metadata';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { CheckpointTrailEntity } from '../entities/checkpoint-trail.entity.js';
import { onEachDatabase } from '../testing/on-each-database.js';
import type { TemporaryModels } from '../testing/temporary-models.js';
import { Rows } from './rows.js';

const at = (count: number, eventId: string) => ({ lane: '1', count, sequence: count * 10, eventId });

onEachDatabase('the rows of a transaction', (open) => {
  let view: TemporaryModels;
  const inTransaction = <T>(work: (rows: Rows) => Promise<T>): Promise<T> =>
    view.models.transaction((manager) => work(new Rows(manager)));
  const all = () => inTransaction((rows) => rows.find(CheckpointTrailEntity, { lane: '1' }));
  beforeEach(async () => {
    view = await open();
  });
  afterEach(() => view.remove());

  it('are read as they will be stored, and stored when they are flushed', async () => {
    const read = await inTransaction(async (rows) => {
      rows.put(CheckpointTrailEntity, [at(1, 'a\0b'), at(2, 'half \ud800')]);
      rows.put(CheckpointTrailEntity, [at(2, 'other')]);
      const found = await rows.one(CheckpointTrailEntity, { lane: '1', count: 1 });
      await rows.flush();
      return found;
    });
    expect(read).toEqual(at(1, 'a\u2400b'));
    expect(await all()).toEqual([at(1, 'a\u2400b'), at(2, 'other')]);
  });

  it('are seen by every question that comes after their change', async () => {
    await inTransaction(async (rows) => {
      rows.put(CheckpointTrailEntity, [at(1, 'a'), at(2, 'b')]);
      expect(await rows.find(CheckpointTrailEntity, { lane: '1' })).toHaveLength(2);
      rows.removeOne(CheckpointTrailEntity, { lane: '1', count: 2 });
      expect(await rows.one(CheckpointTrailEntity, { lane: '1', count: 2 })).toBeUndefined();
      await rows.set(CheckpointTrailEntity, { lane: '1' }, { eventId: 'changed' });
      expect(await rows.one(CheckpointTrailEntity, { lane: '1', count: 1 })).toMatchObject({ eventId: 'changed' });
    });
    expect(await all()).toEqual([at(1, 'changed')]);
  });

  it('are told apart, those that are new from those that are there', async () => {
    await inTransaction(async (rows) => {
      rows.put(CheckpointTrailEntity, [at(1, 'first')]);
      await rows.flush();
    });
    await inTransaction(async (rows) => {
      expect(await rows.add(CheckpointTrailEntity, [at(1, 'x'), at(2, 'y'), at(2, 'z')])).toBe(1);
      rows.removeOne(CheckpointTrailEntity, { lane: '1', count: 1 });
      await rows.flush();
    });
    expect(await all()).toEqual([at(2, 'y')]);
  });
});
