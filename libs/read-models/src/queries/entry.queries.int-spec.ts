import 'reflect-metadata';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ABSENT } from '@retrace/contracts';
import * as given from '../testing/events.js';
import { ann, bob, id, ws } from '../testing/stored.js';
import { onEachDatabase } from '../testing/on-each-database.js';
import { type TemporaryModels } from '../testing/temporary-models.js';
import { EntryQueries } from './entry.queries.js';

const a = { n: 1, path: 'a', to: given.file(1) };
const attention = { path: 'a', found: given.file(2), kept: 'stage-1' };

onEachDatabase('one line of the log', (open) => {
  let view: TemporaryModels;

  beforeAll(async () => {
    view = await open();
    await view.foldAll([
      given.workspaceRegistered({ sequence: 1 }),
      given.authorized(1, [a], { sequence: 2 }),
      given.failed(
        1,
        { sequence: 3 },
        { path: 'a', expected: ABSENT, found: given.file(2), needs_attention: [attention] },
      ),
      given.denied(2, { sequence: 4, agent: bob }),
      given.authorized(3, [a], { sequence: 5 }),
      given.applied(4, [a], { sequence: 6 }),
    ]);
  });
  afterAll(() => view.remove());

  const find = (at: Parameters<EntryQueries['find']>[1], viewer?: typeof ann) =>
    new EntryQueries(view.models).find(ws, at, viewer);

  it('of a failure says what it met and what it planned, by its sequence and by its id', async () => {
    const found = await find(3);
    expect(found).toMatchObject({
      entry: { sequence: 3, status: 'failed', code: 'exists', operations: [{ path: 'a' }], rule: 'allow src' },
      intentId: id('int', 1),
      failure: { path: 'a', expected: ABSENT, found: given.file(2), needs_attention: [attention] },
      root: '/srv/shop',
    });
    expect(await find(id('lop', 1))).toEqual(found);
  });

  it('of a denial says which intent and which rule', async () => {
    expect(await find(4)).toMatchObject({
      entry: { sequence: 4, status: 'denied', rule: 'deny secrets', logical_operation_id: null },
      intentId: id('int', 2),
      failure: null,
    });
  });

  it('of what was applied knows no failure', async () => {
    expect(await find(id('lop', 4))).toMatchObject({ entry: { sequence: 6, status: 'applied' }, failure: null });
  });

  it('is none where nothing has ended, and none of another agent', async () => {
    expect(await find(5)).toBeUndefined();
    expect(await find(id('lop', 3))).toBeUndefined();
    expect(await find(4, ann)).toBeUndefined();
    expect(await find(3, bob)).toBeUndefined();
  });
});
