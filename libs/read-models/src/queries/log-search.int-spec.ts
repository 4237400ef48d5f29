import 'reflect-metadata';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ABSENT, LogEntrySchema } from '@retrace/contracts';
import * as given from '../testing/events.js';
import { EVERY_EVENT } from '../testing/every-event.js';
import { onEachDatabase } from '../testing/on-each-database.js';
import { ann, bob, id, ws } from '../testing/stored.js';
import type { TemporaryModels } from '../testing/temporary-models.js';
import { HistoryQueries } from './history.queries.js';
import type { LogFilter } from './log-filter.js';
import { LogQueries } from './log.queries.js';
import { OperationQueries } from './operation.queries.js';
import { OutcomeQueries } from './outcome.queries.js';
import { StatusQueries } from './status.queries.js';
import { WorkspaceQueries } from './workspace.queries.js';

const many = (n: number, count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ n: n + at, path: `big/${n + at}`, to: given.file(n + at), ...more }));
const long = `deep/${`${'n'.repeat(200)}/`.repeat(6)}`;

/** What every event leaves, then a large operation, one with many parts, and paths that are long. */
const LOG = [
  ...EVERY_EVENT,
  given.applied(20, many(1000, 300), { sequence: 40 }),
  given.applied(21, [{ n: 2000, path: 'tree', to: ABSENT, action: 'delete' }, ...many(2001, 150, { partOf: 2000 })], {
    sequence: 41,
  }),
  given.applied(22, [{ n: 2500, path: `${long}a`, to: given.file(1) }], { sequence: 42, agent: bob }),
  given.applied(23, [{ n: 2501, path: `${long}b`, to: given.file(1), action: 'chmod' }], { sequence: 43, agent: bob }),
];

onEachDatabase('the log, searched', (open) => {
  let view: TemporaryModels;

  beforeAll(async () => {
    view = await open();
    await view.foldAll(LOG);
  });
  afterAll(() => view.remove());

  const page = (filter: Partial<LogFilter> = {}) =>
    new LogQueries(view.models).find({ workspace: ws, viewer: undefined, limit: 100, ...filter });
  const sequences = async (filter: Partial<LogFilter>) => (await page(filter)).entries.map(({ sequence }) => sequence);

  it('shows logical operations in the shape of the contract, one line each', async () => {
    const { entries } = await page();
    for (const entry of entries)
      expect(LogEntrySchema.safeParse({ ...entry, logical_operation_id: id('lop', 1) }).success).toBe(true);
    const lines = entries.map(({ sequence, status, kind }) => `${sequence} ${status} ${kind}`);
    expect(lines).toEqual([
      '8 applied operation',
      '12 failed operation',
      '13 denied operation',
      '20 applied operation',
      '23 applied operation',
      '25 applied rollback',
      '29 applied rollback',
      '40 applied operation',
      '41 applied operation',
      '42 applied operation',
      '43 applied operation',
    ]);
  });

  it('merges the parts of one that several intents filled, and counts the parts of an operation', async () => {
    const [line] = (await page({ afterSequence: 19, limit: 1 })).entries;
    expect(line).toMatchObject({ operation_count: 2, path_count: 6, open: false, undone_by: null });
    expect(line?.operations).toEqual([
      { operation_id: id('op', 30), action: 'move', path: 'lib', from: 'src', undone: false, paths: 5 },
      { operation_id: id('op', 35), action: 'write', path: 'lib/c', from: null, undone: true, paths: 1 },
    ]);
  });

  it('shows one that was taken back after an abort, and one that is open still', async () => {
    const [aborted] = (await page({ afterSequence: 21, limit: 1 })).entries;
    expect(aborted).toMatchObject({ open: false, undone_by: id('lop', 6), operations: [{ undone: true }] });
    const other = await open();
    await other.foldAll([given.opened(4, { sequence: 1 }), given.applied(4, many(1, 1), { sequence: 2 })]);
    const { entries } = await new LogQueries(other.models).find({ workspace: ws, viewer: undefined, limit: 9 });
    expect(entries).toMatchObject([{ sequence: 2, open: true }]);
    await other.remove();
  });

  it('names at most a hundred operations, and says how many there are', async () => {
    const [large, tree] = (await page({ afterSequence: 39, limit: 2 })).entries;
    expect(large?.operations).toHaveLength(100);
    expect(large).toMatchObject({ operation_count: 300, path_count: 300 });
    expect(large?.operations[99]).toMatchObject({ path: 'big/1099' });
    expect(tree).toMatchObject({ operation_count: 1, path_count: 151, operations: [{ path: 'tree', paths: 151 }] });
  });

  it('is filtered by action, status and kind', async () => {
    expect(await sequences({ action: 'move' })).toEqual([20]);
    expect(await sequences({ action: 'mkdir' })).toEqual([12]);
    expect(await sequences({ action: 'create' })).toEqual([13]);
    expect(await sequences({ action: 'chmod', path: 'deep' })).toEqual([43]);
    expect(await sequences({ action: 'chmod', path: 'lib' })).toEqual([]);
    expect(await sequences({ status: 'failed' })).toEqual([12]);
    expect(await sequences({ status: 'denied' })).toEqual([13]);
    expect(await sequences({ kind: 'rollback' })).toEqual([25, 29]);
  });

  it('is filtered by time, the ends included', async () => {
    const at = (sequence: number) => Date.UTC(2026, 0, 1) + sequence * 1000;
    expect(await sequences({ since: at(13), until: at(23) })).toEqual([13, 20, 23]);
  });

  it('is filtered by paths, those of parts, of failures and long ones too', async () => {
    expect(await sequences({ path: 'src/c' })).toEqual([12]);
    expect(await sequences({ path: 'src' })).toEqual([8, 12, 20]);
    expect(await sequences({ path: 'big/2100' })).toEqual([41]);
    expect(await sequences({ path: long.slice(0, -1) })).toEqual([42, 43]);
    expect(await sequences({ path: `${long}b` })).toEqual([43]);
    expect(await sequences({ path: long.slice(0, -2) })).toEqual([]);
  });

  it('is filtered by a pattern over all operations of a line', async () => {
    const ends = (end: string) => ({ matches: (path: string) => path.endsWith(end) });
    expect(await sequences(ends('/c'))).toEqual([12, 20, 29]);
    expect(await sequences(ends('big/2100'))).toEqual([41]);
    expect(await sequences(ends('secrets/key'))).toEqual([13]);
    expect(await sequences({ ...ends('/b'), action: 'chmod' })).toEqual([43]);
    expect(await sequences({ ...ends('/c'), limit: 2 })).toEqual([20, 29]);
    expect(await page({ ...ends('/c'), limit: 1, afterSequence: 0 })).toMatchObject({ cursor: 12, more: true });
    expect(await page({ ...ends('/none'), afterSequence: 0 })).toEqual({ entries: [], cursor: 43, more: false });
  });

  it.each([{}, { afterSequence: 0 }])('is searched so far for one question, and on from there: %j', async (start) => {
    const queries = new LogQueries(view.models, { step: 2, most: 4 });
    const filter = { workspace: ws, viewer: undefined, limit: 2, matches: (path: string) => path.endsWith('/c') };
    const [seen, empty]: [number[], number[]] = [[], []];
    let next: Partial<LogFilter> | undefined = start;
    for (let asked = 1; next !== undefined && asked < 9; asked += 1) {
      const { entries, cursor, more, before } = await queries.find({ ...filter, ...next });
      seen.push(...entries.map(({ sequence }) => sequence));
      if (more && entries.length === 0) empty.push(asked);
      const further: Partial<LogFilter> =
        'afterSequence' in start ? { afterSequence: cursor } : { beforeSequence: before! };
      next = more ? further : undefined;
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual([12, 20, 29]);
    expect(empty).toEqual('afterSequence' in start ? [] : [1]);
  });

  it('is read on by its cursor, each line once, and ends where the log stands', async () => {
    const seen: number[] = [];
    let cursor = 0;
    for (let more = true; more;) {
      const next = await page({ afterSequence: cursor, limit: 4 });
      seen.push(...next.entries.map(({ sequence }) => sequence));
      ({ cursor, more } = next);
    }
    expect(seen).toEqual((await page()).entries.map(({ sequence }) => sequence));
    expect(cursor).toBe(43);
    expect(await page({ afterSequence: 43 })).toEqual({ entries: [], cursor: 43, more: false });
    expect(await page({ beforeSequence: 12 })).toMatchObject({ more: false, entries: [{ sequence: 8 }] });
    expect(await page({ beforeSequence: 13, limit: 1 })).toMatchObject({
      more: true,
      entries: [{ sequence: 12 }],
      before: 12,
    });
  });

  it('answers operations by pages, with how many there are', async () => {
    const queries = new OperationQueries(view.models);
    const found = await queries.find(ws, id('lop', 20), undefined, { from: 250, limit: 100 });
    expect(found?.total).toBe(300);
    expect(found?.operations.map(({ path }) => path)).toEqual(many(1250, 50).map((operation) => operation.path));
  });

  it('gives of a large outcome what fits into one message, and says how many operations there are', async () => {
    const other = await open();
    const event = given.applied(1, many(1, 2500), { sequence: 1 });
    await other.foldAll([event]);
    const found = await new OutcomeQueries(other.models).find(ws, id('int', 1), ann);
    const { operations, ...data } = found!.data as typeof event.data;
    expect(operations.length).toBeLessThan(2500);
    expect(operations).toEqual(event.data.operations.slice(0, operations.length));
    expect(data).toMatchObject({ operation_count: 2500, logical_operation_id: id('lop', 1) });
    expect(JSON.stringify(operations).length).toBeLessThan(1_000_000);
    await other.remove();
  }, 30_000);

  it('takes back a large operation whole, and tells the parts that are live from those that are not', async () => {
    const other = await open();
    const tree = [{ n: 1, path: 'tree', to: ABSENT }, ...many(2, 1500, { partOf: 1 })];
    const undo = tree.map(({ n, path }) => ({ n: n + 10_000, path, to: given.file(n), compensates: [n] }));
    const lines = async () =>
      (await new LogQueries(other.models).find({ workspace: ws, viewer: undefined, limit: 9 })).entries;
    await other.foldAll([
      given.applied(1, tree, { sequence: 1 }),
      given.applied(2, undo.slice(0, -1), { sequence: 2 }, given.asRollback(2)),
    ]);
    expect((await lines())[0]).toMatchObject({ undone_by: null, path_count: 1501, operations: [{ undone: false }] });
    await other.foldAll([given.applied(3, undo.slice(-1), { sequence: 3 }, given.asRollback(3))]);
    expect((await lines())[0]).toMatchObject({ undone_by: id('lop', 3), operations: [{ undone: true }] });
    const redo = undo.slice(0, -1).map(({ n, path }) => ({ n: n + 10_000, path, to: ABSENT, compensates: [n] }));
    await other.foldAll([given.applied(4, redo, { sequence: 4 }, given.asRollback(4))]);
    const [first, second] = await lines();
    expect(first).toMatchObject({ undone_by: null, operations: [{ undone: false }] });
    expect(second).toMatchObject({ undone_by: id('lop', 4) });
    await other.remove();
  }, 30_000);

  it('fits into one message of the bus', async () => {
    const other = await open();
    const texts = Array.from({ length: 100 }, (_, n) => ({ n, path: `${'x'.repeat(240)}/${n}`, to: given.file(n) }));
    for (let n = 1; n <= 30; n++) await other.foldAll([given.applied(n, at(n, texts), { sequence: n })]);
    const queries = new LogQueries(other.models);
    const scope = { workspace: ws, viewer: undefined, limit: 1000 };
    const newest = await queries.find(scope);
    expect(newest).toMatchObject({ more: true, cursor: 30 });
    expect(newest.entries.at(-1)).toMatchObject({ sequence: 30 });
    const oldest = await queries.find({ ...scope, afterSequence: 0 });
    expect(oldest).toMatchObject({ more: true, cursor: oldest.entries.at(-1)?.sequence });
    expect(JSON.stringify(oldest.entries).length).toBeLessThan(1_000_000);
    await other.remove();
  }, 60_000);

  const history = async (path: string, more: object = {}) => {
    const filter = { workspace: ws, path: path as never, viewer: undefined, limit: 100, ...more };
    const { changes, more: rest } = await new HistoryQueries(view.models).find(filter);
    return { rest, changes: changes.map(({ operation }) => `${operation.sequence} ${operation.path}`) };
  };

  it('tells the history of a path back through the names that it had', async () => {
    expect((await history('lib/a')).changes).toEqual(['17 lib/a', '8 src/a']);
    expect((await history('src/a')).changes).toEqual(['17 src/a', '8 src/a']);
    expect((await history('lib/c')).changes).toEqual(['29 lib/c', '19 lib/c']);
    expect(await history('lib/a', { limit: 1 })).toEqual({ rest: true, changes: ['17 lib/a'] });
    expect(await history('lib/a', { beforeSequence: 17 })).toEqual({ rest: false, changes: ['8 src/a'] });
    expect((await history('lib/a', { viewer: bob })).changes).toEqual([]);
    expect((await history('none')).changes).toEqual([]);
  });

  it('tells with each change what the session was for, to who may see it', async () => {
    const filter = { workspace: ws, path: 'lib/a' as never, viewer: ann, limit: 1 };
    expect((await new HistoryQueries(view.models).find(filter)).changes).toMatchObject([{ task: 'task 1' }]);
  });

  it('goes back and forth with an object that was moved and moved back', async () => {
    const other = await open();
    const moves = (from: string, to: string, n: number) => [
      { n, path: to, to: given.file(1), movedFrom: from },
      { n: n + 1, path: from, to: ABSENT, movedTo: to, partOf: n },
    ];
    await other.foldAll([
      given.applied(1, [{ n: 1, path: 'a', to: given.file(1) }, ...moves('a', 'b', 2)], { sequence: 1 }),
      given.applied(2, moves('b', 'a', 4), { sequence: 2 }),
      given.applied(3, [{ n: 6, path: 'b', to: given.file(9) }], { sequence: 3 }),
    ]);
    const filter = { workspace: ws, path: 'a' as never, viewer: undefined, limit: 100 };
    const { changes } = await new HistoryQueries(other.models).find(filter);
    expect(changes.map(({ operation }) => operation.operationId)).toEqual([4, 2, 1].map((n) => id('op', n)));
    await other.remove();
  });

  it('tells of a workspace what was stored at its registration', async () => {
    expect(await new WorkspaceQueries(view.models).find(ws, undefined)).toMatchObject([
      { baseline: { sequence: 3, bytes: 5_000_000_000, skipped: 1 } },
    ]);
  });

  it('counts events of kinds that nobody knows, and moves on', async () => {
    const lane = '5';
    await view.folds.pass(lane, { sequence: 90, eventId: 'x' }, { unknown: true, messages: 3 });
    expect(await view.folds.pass(lane, { sequence: 91, eventId: 'y' })).toMatchObject({ messages: 4, unknown: 1 });
    expect(await new StatusQueries(view.models).countUnknown()).toBe(1);
  });
});

/** The same texts under ids of their own. */
const at = (n: number, texts: ReturnType<typeof many>) => texts.map((text) => ({ ...text, n: n * 1000 + text.n }));
