import 'reflect-metadata';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ABSENT, LogEntrySchema, WorkspaceNameSchema } from '@retrace/contracts';
import * as given from '../testing/events.js';
import { ann, bob, id, ws } from '../testing/stored.js';
import { onEachDatabase } from '../testing/on-each-database.js';
import { type TemporaryModels } from '../testing/temporary-models.js';
import type { LogFilter } from './log-filter.js';
import { LogQueries } from './log.queries.js';

const op = (n: number, path: string, ...compensates: number[]) => ({ n, path, to: given.file(n), compensates });
const rollback = (n: number, part = 1) => given.asRollback(n, part);

const LOG = [
  given.sessionOpened(1, { sequence: 1 }),
  given.applied(1, [op(1, 'src/a'), op(2, 'src/b')], { sequence: 2 }),
  given.applied(2, [op(3, 'src.txt')], { sequence: 3, agent: bob }, { session_id: id('ses', 2) }),
  given.denied(3, { sequence: 4, agent: bob }, { session_id: id('ses', 1), path: 'src/secret' }),
  given.authorized(4, [op(4, 'src/c/d')], { sequence: 5 }),
  given.failed(4, { sequence: 6 }),
  given.applied(5, [op(5, 'src/a', 1)], { sequence: 7 }, rollback(5)),
  given.authorized(6, [op(6, 'src/e')], { sequence: 8 }),
  given.applied(1, [op(7, 'src/a')], { sequence: 9, workspace: WorkspaceNameSchema.parse('garden') }),
];

onEachDatabase('the log', (open) => {
  let view: TemporaryModels;

  beforeAll(async () => {
    view = await open();
    await view.foldAll(LOG);
  });
  afterAll(() => view.remove());

  const page = (filter: Partial<LogFilter> = {}, { models } = view) =>
    new LogQueries(models).find({ workspace: ws, viewer: undefined, limit: 100, ...filter });
  const find = async (filter: Partial<LogFilter> = {}, of = view) => (await page(filter, of)).entries;
  const sequences = async (filter: Partial<LogFilter>) => (await find(filter)).map(({ sequence }) => sequence);

  it('holds what was applied, failed and denied, newest last, in the shape of the contract', async () => {
    const entries = await find();
    expect(entries.map(({ sequence, status, kind }) => [sequence, status, kind])).toEqual([
      [2, 'applied', 'operation'],
      [3, 'applied', 'operation'],
      [4, 'denied', 'operation'],
      [6, 'failed', 'operation'],
      [7, 'applied', 'rollback'],
    ]);
    for (const entry of entries)
      expect(LogEntrySchema.safeParse({ ...entry, logical_operation_id: id('lop', 1) }).success).toBe(true);
  });

  it('tells why something failed or was denied, and what it was about', async () => {
    const [, , denied, failed] = await find();
    expect(denied).toMatchObject({
      logical_operation_id: null,
      code: 'rule_denies',
      rule: 'deny secrets',
      operations: [{ operation_id: null, action: 'create', path: 'src/secret', undone: false }],
    });
    expect(failed).toMatchObject({
      logical_operation_id: id('lop', 4),
      code: 'exists',
      tool: 'write_file',
      operations: [{ operation_id: id('op', 4), path: 'src/c/d' }],
    });
  });

  it('marks single operations as undone, and the whole once all are', async () => {
    const [before] = await find();
    expect(before).toMatchObject({ undone_by: null, operations: [{ undone: true }, { undone: false }] });
    const later = await open();
    await later.foldAll([...LOG, given.applied(7, [op(8, 'src/b', 2)], { sequence: 10 }, rollback(7))]);
    const queries = () => find({}, later);
    expect((await queries())[0]).toMatchObject({ undone_by: id('lop', 7) });
    await later.foldAll([given.applied(8, [op(9, 'src/a', 5)], { sequence: 11 }, rollback(8))]);
    const [first, , , , undone] = await queries();
    expect(first).toMatchObject({ undone_by: null, operations: [{ undone: false }, { undone: true }] });
    expect(undone).toMatchObject({ undone_by: id('lop', 8) });
    await later.remove();
  });

  it('is one entry for a rollback in parts, at its newest outcome', async () => {
    const later = await open();
    const part = { ...op(11, 'src/b', 2), to: ABSENT };
    await later.foldAll([
      given.applied(9, [op(10, 'src/a', 1)], { sequence: 1 }, rollback(9)),
      given.applied(9, [part], { sequence: 2 }, rollback(9, 2)),
      given.failed(9, { sequence: 3 }, rollback(9, 3)),
    ]);
    const entries = await find({}, later);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ sequence: 3, status: 'applied', code: 'exists' });
    expect(entries[0]?.operations.map(({ path }) => path)).toEqual(['src/a', 'src/b']);
    await later.remove();
  });

  it('shows an agent what it did itself, and no task of a session that is not its own', async () => {
    const entries = await find({ viewer: bob });
    expect(entries.map(({ sequence, task }) => [sequence, task])).toEqual([
      [3, null],
      [4, null],
    ]);
    expect((await find({ viewer: ann }))[0]).toMatchObject({ sequence: 2, task: 'task 1' });
    expect(await find({ viewer: bob, agent: ann })).toEqual([]);
  });

  it('is filtered by path: the path or what lies below it', async () => {
    expect(await sequences({ path: 'src' })).toEqual([2, 4, 6, 7]);
    expect(await sequences({ path: 'src/a' })).toEqual([2, 7]);
    expect(await sequences({ path: 'src/c' })).toEqual([6]);
    expect(await sequences({ path: 'sr' })).toEqual([]);
    expect(await sequences({ path: '%' })).toEqual([]);
  });

  it('is filtered by session and agent', async () => {
    expect(await sequences({ sessionId: id('ses', 2) })).toEqual([3]);
    expect(await sequences({ agent: bob })).toEqual([3, 4]);
  });

  it('is paged backwards', async () => {
    expect(await sequences({ limit: 2 })).toEqual([6, 7]);
    expect(await sequences({ limit: 2, beforeSequence: 6 })).toEqual([3, 4]);
    expect(await sequences({ limit: 2, beforeSequence: 3 })).toEqual([2]);
  });
});
