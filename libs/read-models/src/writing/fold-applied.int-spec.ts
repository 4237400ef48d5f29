import 'reflect-metadata';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ABSENT, type WorkspacePath } from '@retrace/contracts';
import { HistoryQueries } from '../queries/history.queries.js';
import { LogQueries } from '../queries/log.queries.js';
import { OperationQueries } from '../queries/operation.queries.js';
import { dump } from '../testing/dump.js';
import * as given from '../testing/events.js';
import { onEachDatabase } from '../testing/on-each-database.js';
import { bob, id, ws } from '../testing/stored.js';
import { type TemporaryModels } from '../testing/temporary-models.js';

const first = given.applied(1, [{ n: 1, path: 'a', to: given.file(1) }], { sequence: 1 });
/** Another writer's event, under an id of the first one, twice. */
const forged = given.applied(
  2,
  [
    { n: 1, path: 'secret', to: given.file(2) },
    { n: 2, path: 'b', to: given.file(3) },
    { n: 1, path: 'secret', to: given.file(4) },
  ],
  { sequence: 2, agent: bob },
);
const undo = given.applied(
  3,
  [{ n: 3, path: 'a', to: ABSENT, compensates: [1] }],
  { sequence: 3 },
  given.asRollback(3),
);

onEachDatabase('records under an id that is taken', (open) => {
  let view: TemporaryModels;
  beforeEach(async () => {
    view = await open();
    await view.foldAll([first, forged, undo]);
  });
  afterEach(() => view.remove());

  it('are in the history of their path and among those of their id', async () => {
    const secret = { workspace: ws, path: 'secret' as WorkspacePath, viewer: undefined, limit: 10 };
    const { changes } = await new HistoryQueries(view.models).find(secret);
    expect(changes.map(({ operation }) => operation.record.state_snapshot_after.state)).toEqual([
      given.file(4),
      given.file(2),
    ]);
    const found = await new OperationQueries(view.models).find(ws, id('op', 1), undefined);
    expect(found).toMatchObject({ total: 3, operations: [{ path: 'a' }, { path: 'secret' }, { path: 'secret' }] });
  });

  it('are not taken back by what takes back the first of the id', async () => {
    const { entries } = await new LogQueries(view.models).find({ workspace: ws, viewer: undefined, limit: 10 });
    expect(entries.map(({ operations }) => operations.map(({ path, undone }) => [path, undone]))).toEqual([
      [['a', true]],
      [
        ['secret', false],
        ['b', false],
        ['secret', false],
      ],
      [['a', false]],
    ]);
    expect(entries.map(({ undone_by }) => undone_by)).toEqual([id('lop', 3), null, null]);
  });

  it('are the same rows however often the events come', async () => {
    const before = await dump(view.models);
    await view.foldAll([first, forged, undo]);
    expect(await dump(view.models)).toEqual(before);
    const later = [first, forged, undo].map((event) => ({ ...event, sequence: event.sequence + 10 }));
    await view.foldAll(later);
    expect((await dump(view.models)).operation).toEqual(before.operation);
  });
});
