import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type OperationId, type Principal } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { AGENT, WORKSPACE } from '../testing/authorities.js';
import { fileOf } from '../testing/requests.js';
import { WorkspaceFolder } from '../testing/workspace-folder.js';
import { ExecutionStore } from './execution-store.js';

let folder: WorkspaceFolder;
let store: ExecutionStore;
beforeEach(() => {
  folder = new WorkspaceFolder();
  store = ExecutionStore.open(folder.data, 'power');
});
afterEach(async () => {
  await store.close();
  folder.dispose();
});

const position = (sequence: number) => ({ sequence, eventId: newId('evt') });

it('forgets old authorities, in slices, and no others', async () => {
  const ids = Array.from({ length: 2500 }, () => newId('evt'));
  for (const [i, id] of ids.entries()) store.markHandled(WORKSPACE, id, position(i + 1));
  await store.prune(WORKSPACE, 100);
  const known = ids.filter((id) => store.isHandled(WORKSPACE, id));
  expect(known).toEqual(ids.slice(-101));
}, 60_000);

it('forgets nothing while there is little', async () => {
  const id = newId('evt');
  store.markHandled(WORKSPACE, id, position(5));
  await store.prune(WORKSPACE);
  expect(store.isHandled(WORKSPACE, id)).toBe(true);
});

it('keeps rows of paths that are longer than a key, apart from each other', () => {
  const paths = ['a', 'b'].map((end) => `${'é'.repeat(1500)}${end}`);
  const row = (path: string) => ({
    state: fileOf(path),
    sequence: 7,
    operationId: 'op' as OperationId,
    sessionId: null,
    agent: AGENT,
  });
  const outcome = { type: 'retrace.intent.stale.v1' } as never;
  const done = {
    phase: 'done',
    workspace: WORKSPACE,
    sequence: 1,
    eventId: 'e',
    outcome,
    kept: [],
    staged: [],
    paths,
  } as const;
  store.finish([{ record: done, recorded: new Map(paths.map((path) => [path, row(path)])) }]);
  expect(paths.map((path) => store.recorded(WORKSPACE, path)?.state)).toEqual(paths.map((path) => fileOf(path)));
  expect(store.recorded(WORKSPACE, 'other')).toBeUndefined();
});

it('keeps positions, members, policies and epochs over a restart', async () => {
  store.addWorkspace({ name: WORKSPACE, root: '/ws', epoch: 0 }, position(3));
  store.addMember(WORKSPACE, AGENT, position(4));
  store.putPolicy(WORKSPACE, { version: 1, yaml: 'rules: []' }, position(5));
  expect([store.nextEpoch(WORKSPACE), store.nextEpoch(WORKSPACE)]).toEqual([1, 2]);
  await store.close();
  store = ExecutionStore.open(folder.data, 'process');
  expect(store.workspaceRows()).toEqual([{ name: WORKSPACE, root: '/ws', epoch: 2 }]);
  expect([store.isMember(WORKSPACE, AGENT), store.isMember(WORKSPACE, 'eve' as Principal)]).toEqual([true, false]);
  expect(store.policy(WORKSPACE)).toEqual({ version: 1, yaml: 'rules: []' });
  expect(store.positions.load(WORKSPACE)).toMatchObject({ sequence: 5 });
  store.rewind(WORKSPACE, undefined);
  expect([store.positions.load(WORKSPACE), store.isMember(WORKSPACE, AGENT)]).toEqual([undefined, true]);
});
