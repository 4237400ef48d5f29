import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ABSENT, OperationApplied, type WorkspacePath, WorkspaceNameSchema } from '@retrace/contracts';
import * as given from '../testing/events.js';
import { ann, bob, id, ws } from '../testing/stored.js';
import { onEachDatabase } from '../testing/on-each-database.js';
import { type TemporaryModels } from '../testing/temporary-models.js';
import { OperationQueries } from './operation.queries.js';
import { OutcomeQueries } from './outcome.queries.js';
import { SessionQueries } from './session.queries.js';
import { StatusQueries } from './status.queries.js';
import { VersionQueries } from './version.queries.js';
import { WorkspaceQueries } from './workspace.queries.js';

const garden = WorkspaceNameSchema.parse('garden');
const a = (n: number) => ({ n, path: 'a', to: given.file(n) });
const applied = given.applied(1, [a(1), { ...a(2), path: 'b' }, a(3)], { sequence: 4 });
const bobs = { agent: bob, session_id: id('ses', 2) };

const LOG = [
  given.workspaceRegistered({ sequence: 1 }),
  given.sessionOpened(11, { sequence: 2 }),
  given.memberAdded(ann, { sequence: 3 }),
  applied,
  given.applied(2, [a(4)], { sequence: 5, agent: bob }, { session_id: bobs.session_id }),
  given.sessionOpened(2, { sequence: 6, agent: bob }),
  given.denied(3, { sequence: 7, agent: bob }),
  given.denied(3, { sequence: 8, agent: ann }),
  given.applied(9, [{ n: 9, path: 'a', to: ABSENT, compensates: [4] }], { sequence: 9 }, given.asRollback(9)),
  given.rejected({ sequence: 10 }),
  given.workspaceRegistered({ sequence: 11, workspace: garden }),
  given.sessionOpened(1, { sequence: 12 }),
  given.policyPublished(1, { sequence: 13, workspace: WorkspaceNameSchema.parse('nowhere') }),
];

onEachDatabase('queries', (open) => {
  let view: TemporaryModels;

  beforeAll(async () => {
    view = await open();
    await view.foldAll(LOG);
  });
  afterAll(() => view.remove());

  describe('of operations', () => {
    const find = async (...question: Parameters<OperationQueries['find']>) =>
      (await new OperationQueries(view.models).find(...question))?.operations.map(({ operationId }) => operationId);

    it('find one, or all of a logical operation in order, in one workspace or in any', async () => {
      expect(await find(ws, id('op', 2), undefined)).toEqual([id('op', 2)]);
      expect(await find(undefined, id('lop', 1), undefined)).toEqual([1, 2, 3].map((n) => id('op', n)));
      expect(await find(garden, id('op', 2), undefined)).toBeUndefined();
    });

    it('show an agent its own', async () => {
      expect(await find(ws, id('op', 4), ann)).toBeUndefined();
      expect(await find(ws, id('lop', 2), ann)).toBeUndefined();
      expect(await find(ws, id('lop', 2), bob)).toEqual([id('op', 4)]);
    });

    it('name what took one back', async () => {
      const { operations } = (await new OperationQueries(view.models).find(ws, id('op', 4), undefined))!;
      const [row] = operations;
      expect(row?.undoneBy).toMatchObject([{ operation_id: id('op', 9) }]);
    });
  });

  it('of outcomes give back the whole event that ended the intent', async () => {
    const outcome = await new OutcomeQueries(view.models).find(ws, id('int', 1), ann);
    expect(outcome).toMatchObject({ status: 'applied', sequence: 4, type: OperationApplied.type });
    expect(outcome?.data).toEqual(applied.data);
  });

  it('of outcomes show an agent its own intents, though another one uses the same id', async () => {
    const queries = new OutcomeQueries(view.models);
    expect(await queries.find(ws, id('int', 1), bob)).toBeUndefined();
    expect(await queries.find(ws, id('int', 3), bob)).toMatchObject({ sequence: 7 });
    expect(await queries.find(ws, id('int', 3), ann)).toMatchObject({ sequence: 8 });
  });

  it('of sessions count their operations and show an agent its own', async () => {
    const queries = new SessionQueries(view.models);
    const all = await queries.find(ws, undefined);
    expect(all.map(({ sessionId, operations }) => [sessionId, operations])).toEqual([
      [id('ses', 11), 0],
      [id('ses', 2), 1],
      [id('ses', 1), 3],
    ]);
    expect(await queries.find(ws, bob)).toHaveLength(1);
  });

  it('of workspaces list the registered ones, and to an agent those that it is a member of', async () => {
    const queries = new WorkspaceQueries(view.models);
    const all = await queries.find(undefined, undefined);
    expect(all.map(({ workspace }) => workspace)).toEqual([garden, ws]);
    expect(await queries.find(ws, undefined)).toMatchObject([{ members: [ann], logicalOperations: 3, policy: null }]);
    expect((await queries.find(undefined, ann)).map(({ workspace }) => workspace)).toEqual([ws]);
    expect(await queries.find(undefined, bob)).toEqual([]);
  });

  describe('of versions', () => {
    const path = 'a' as WorkspacePath;
    const find = (more: object) =>
      new VersionQueries(view.models).find({ workspace: ws, path, viewer: undefined, ...more });

    it('give the newest state, that after a sequence, or that of an operation', async () => {
      expect(await find({})).toMatchObject({ state: ABSENT, sequence: 9 });
      expect(await find({ atSequence: 4 })).toMatchObject({ state: given.file(3), operationId: id('op', 3) });
      expect(await find({ atSequence: 8 })).toMatchObject({ state: given.file(4) });
      expect(await find({ operationId: id('op', 1) })).toMatchObject({ state: given.file(1), sequence: 4 });
    });

    it('know nothing before the first record, nor of other paths', async () => {
      expect(await find({ atSequence: 3 })).toBeUndefined();
      expect(await find({ path: 'other' })).toBeUndefined();
      expect(await find({ operationId: id('op', 2) })).toBeUndefined();
    });

    it('do not show an agent the state that another one left', async () => {
      expect(await find({ atSequence: 5, viewer: ann })).toBeUndefined();
      expect(await find({ atSequence: 5, viewer: bob })).toMatchObject({ state: given.file(4) });
    });
  });

  it('of the status count rejected messages', async () => {
    expect(await new StatusQueries(view.models).countRejected()).toBe(1);
  });
});
