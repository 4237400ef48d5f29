import 'reflect-metadata';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type StoredEvent, WorkspaceNameSchema } from '@retrace/contracts';
import * as fc from 'fast-check';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../read-model-database.js';
import { dump } from '../testing/dump.js';
import * as given from '../testing/events.js';
import { HistoryArbitrary } from '../testing/history.js';
import { onEachDatabase } from '../testing/on-each-database.js';
import { laneOf, type TemporaryModels } from '../testing/temporary-models.js';

const garden = WorkspaceNameSchema.parse('garden');
const a = { n: 1, path: 'a', to: given.file(1) };
const undoA = { n: 9, path: 'a', to: given.file(0), from: given.file(1), compensates: [1] };

const LOG: StoredEvent[] = [
  given.workspaceRegistered({ sequence: 1 }),
  given.policyPublished(1, { sequence: 2 }),
  given.sessionOpened(1, { sequence: 3 }),
  given.authorized(1, [a], { sequence: 4 }),
  given.applied(1, [a], { sequence: 5 }),
  given.workspaceRegistered({ sequence: 6, workspace: garden }),
  given.denied(2, { sequence: 7 }),
  given.rollbackAuthorized(9, { sequence: 8 }),
  given.stepRequested(9, 1, [undoA], { sequence: 9 }),
  given.applied(9, [undoA], { sequence: 10 }, given.asRollback(9)),
  given.rollbackCompleted(9, { sequence: 11 }),
  given.rejected({ sequence: 12 }),
];

onEachDatabase('the folds of the read models', (open, runs) => {
  let view: TemporaryModels;

  beforeEach(async () => {
    view = await open();
  });
  afterEach(() => view.remove());

  it('are the same after a restart in the middle', async () => {
    await view.foldAll(LOG.slice(0, 6));
    await view.restart();
    await view.foldAll(LOG.slice(6));
    const other = await open();
    await other.foldAll(LOG);
    expect(await dump(view.models)).toEqual(await dump(other.models));
    expect(await view.folds.position(laneOf(LOG[0]!))).toMatchObject({ sequence: 12, eventId: LOG[11]!.id });
    await other.remove();
  });

  it('do not change when everything is delivered again', async () => {
    await view.foldAll(LOG);
    const before = await dump(view.models);
    await view.foldAll(LOG);
    expect(await dump(view.models)).toEqual(before);
  });

  it('do not change when the log holds the same events twice', async () => {
    await view.foldAll(LOG);
    const before = await content(view);
    await view.foldAll(LOG.map((event) => ({ ...event, sequence: event.sequence + LOG.length })));
    expect(await content(view)).toEqual(before);
    expect(await view.folds.position(laneOf(LOG[0]!))).toMatchObject({ sequence: 24, eventId: LOG[11]!.id });
  });

  it('keep neither rows nor checkpoint of a fold that failed midway', async () => {
    await view.foldAll(LOG.slice(0, 4));
    const before = await dump(view.models);
    await view.models.transaction((manager) =>
      manager.query(`ALTER TABLE ${view.table('outcome')} RENAME TO elsewhere`),
    );
    await expect(view.foldAll([LOG[4]!])).rejects.toThrow('outcome');
    await view.models.transaction((manager) =>
      manager.query(`ALTER TABLE ${view.table('elsewhere')} RENAME TO outcome`),
    );
    expect(await dump(view.models)).toEqual(before);
    await view.foldAll(LOG.slice(4));
    expect((await dump(view.models)).operation).toHaveLength(2);
  });

  it('take events of several lanes at once, one transaction after the other', async () => {
    const other = await open();
    await other.foldAll(LOG);
    const lanes = [
      LOG.filter(({ workspace }) => workspace === garden),
      LOG.filter(({ workspace }) => workspace !== garden),
    ];
    await Promise.all(lanes.map((events) => view.foldAll(events)));
    expect(await dump(view.models)).toEqual(await dump(other.models));
    await other.remove();
  });

  it('cut no text at a NUL, neither in a column nor inside of one that holds JSON', async () => {
    const nul = given.denied(2, { sequence: 1 }, { path: 'a\0b', reason: 'x\0y', message: '\0' });
    await view.foldAll([nul]);
    const before = await dump(view.models);
    const [denial, outcome] = [before.denial, before.outcome].map(
      (rows) => JSON.parse(rows![0]!) as Record<string, string>,
    );
    expect(denial).toMatchObject({ path: 'a\u2400b', reason: 'x\u2400y', message: '\u2400' });
    expect(JSON.parse(outcome!.data!)).toEqual(nul.data);
    await view.foldAll([{ ...nul, sequence: 2 }]);
    expect((await dump(view.models)).denial).toEqual(before.denial);
  });

  it('keep nothing of a batch of which one event cannot be folded', async () => {
    await view.foldAll(LOG.slice(0, 4));
    const before = await dump(view.models);
    const broken = { ...LOG[11]!, data: null } as unknown as StoredEvent;
    await expect(view.foldInBatches([LOG[4]!, LOG[6]!, broken], 3)).rejects.toThrow('null');
    expect(await dump(view.models)).toEqual(before);
    await view.foldInBatches(LOG.slice(4), 3);
    const other = await open();
    await other.foldAll(LOG);
    expect(await dump(view.models)).toEqual(await dump(other.models));
    await other.remove();
  });

  it('pass a message by without folding it', async () => {
    await view.foldAll(LOG.slice(0, 3));
    const before = await content(view);
    await view.folds.pass(laneOf(LOG[0]!), { sequence: 4, eventId: '' });
    expect(await content(view)).toEqual(before);
    expect(await view.folds.position(laneOf(LOG[0]!))).toMatchObject({ sequence: 4, eventId: '' });
  });

  it('forget one lane and fold it again to the same rows, and leave the others alone', async () => {
    await view.foldAll(LOG);
    const before = await dump(view.models);
    await view.folds.forget(laneOf({ workspace: garden }));
    const without = await dump(view.models);
    expect(without.workspace).toHaveLength(1);
    expect(without.operation).toEqual(before.operation);
    await view.folds.forget(laneOf(LOG[0]!));
    expect(Object.values(await dump(view.models)).flat()).toEqual([]);
    await view.foldAll(LOG);
    expect(await dump(view.models)).toEqual(before);
  });

  it('keep a thin trail of a lane, newest first', async () => {
    for (let sequence = 1; sequence <= 50; sequence++)
      await view.folds.pass('7', { sequence, eventId: `event ${sequence}` });
    expect((await view.folds.trail('7')).map(({ sequence }) => sequence)).toEqual([48, 32, 16]);
  });

  it('have the tables that their entities describe', async () => {
    const source = await new DataSource(dataSourceOptions(view.database, 'reading')).initialize();
    // In PostgreSQL texts compare byte by byte; SQLite does so by itself, and entities are the same for both.
    if (view.database.kind === 'postgres')
      for (const { columns } of source.entityMetadatas)
        for (const column of columns)
          if (column.type === 'text' || column.type === 'simple-json') column.collation = 'C';
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    await source.destroy();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  }, 30_000);

  it('give the same rows for any history, folded one by one or in pieces with repetitions and in batches', async () => {
    const sizes = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(HistoryArbitrary, fc.nat(), fc.nat(), sizes, async (history, cut, again, size) => {
        const [whole, pieces] = [await open(), await open()];
        await whole.foldAll(history);
        const at = cut % history.length;
        await pieces.foldInBatches(history.slice(0, at), size);
        await pieces.restart();
        await pieces.foldInBatches(history.slice(again % (at + 1)), size);
        expect(await dump(pieces.models)).toEqual(await dump(whole.models));
        await pieces.folds.forget(laneOf(history[0]!));
        await pieces.foldInBatches(history, size);
        expect(await dump(pieces.models)).toEqual(await dump(whole.models));
        await Promise.all([whole.remove(), pieces.remove()]);
      }),
      { numRuns: runs },
    );
  }, 60_000);
});

/** All rows but those that say how far a lane is folded. */
async function content({ models }: TemporaryModels) {
  const { checkpoint: _, checkpoint_trail: __, folded_event: ___, ...tables } = await dump(models);
  return tables;
}
