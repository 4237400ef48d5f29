import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Principal, type WorkspaceName, WorkspaceNameSchema } from '@retrace/contracts';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { openWorkspaceRoot } from '@retrace/workspace-fs';
import { ExecutionStore } from '../journal/execution-store.js';
import { MemoryBlobs } from '../testing/memory-blobs.js';
import { WorkspaceFolder } from '../testing/workspace-folder.js';
import { WorkspaceRegistry } from './workspace-registry.js';

const BY = '_op-local' as Principal;
const [ONE, TWO] = ['one', 'two'].map((name) => WorkspaceNameSchema.parse(name)) as [WorkspaceName, WorkspaceName];

let folder: WorkspaceFolder;
let log: MemoryEventLog;
let store: ExecutionStore;
let registry: WorkspaceRegistry;
let lanes: string[];

function open(): void {
  store = ExecutionStore.open(folder.data, 'process');
  lanes = [];
  const ports = { store, log, blobs: new MemoryBlobs(), durability: 'process' as const };
  registry = new WorkspaceRegistry(ports, (lane) => lanes.push(lane), [`${folder.top}/home`]);
}
async function close(): Promise<void> {
  await registry.close();
  await store.close();
}
const made = (name: string): string => {
  fs.mkdirSync(folder.full(name), { recursive: true });
  return folder.full(name);
};
const events = async () => {
  const found = [];
  for await (const event of log.read()) found.push(event);
  return found;
};

beforeEach(() => {
  folder = new WorkspaceFolder();
  log = new MemoryEventLog();
  open();
});
afterEach(async () => {
  await close();
  folder.dispose();
});

describe('taking a folder under care', () => {
  it('publishes it, reads its lane from there on, and finds it again after a restart', async () => {
    expect(await registry.add(ONE, made('app'), BY)).toEqual({ root: folder.full('app'), sequence: 1 });
    expect([lanes, registry.has(ONE), registry.has('other')]).toEqual([['one'], true, false]);
    expect(await events()).toMatchObject([
      { type: 'retrace.workspace.registered.v1', data: { root: folder.full('app'), registered_by: BY } },
    ]);
    expect(store.positions.load(ONE)).toMatchObject({ sequence: 1 });
    await close();
    open();
    registry.openAll();
    expect(registry.find(ONE).workspace).toMatchObject({ epoch: 2, root: { path: folder.full('app') } });
  });

  it('changes nothing when it is asked for again, with a slash, by a link, or twice at once', async () => {
    const root = made('app');
    fs.symlinkSync('app', folder.full('link'));
    const answers = await Promise.all(
      [root, `${root}/`, folder.full('link')].map((path) => registry.add(ONE, path, BY)),
    );
    expect(answers).toEqual(answers.map(() => ({ root, sequence: 1 })));
    expect([await log.lastSequence(), lanes]).toEqual([1, ['one']]);
  });

  it('refuses a second folder under one name, also at the same time', async () => {
    const [first, second] = await Promise.allSettled(['app', 'app2'].map((name) => registry.add(ONE, made(name), BY)));
    expect([first?.status, second]).toMatchObject(['fulfilled', { reason: { code: 'workspace_exists' } }]);
    expect(await log.lastSequence()).toBe(1);
  });

  it('refuses what overlaps, and takes what only looks so', async () => {
    await registry.add(ONE, made('app'), BY);
    for (const path of ['app/sub', 'app', '.'])
      await expect(registry.add(TWO, made(path), BY)).rejects.toMatchObject({
        code: 'workspace_overlaps',
        message: expect.stringContaining('workspace one'),
      });
    await registry.add(TWO, made('app-evil'), BY);
    expect(registry.has(TWO)).toBe(true);
  });

  it('refuses what is no folder', async () => {
    folder.put('file', 'F');
    for (const path of ['file', 'absent'])
      await expect(registry.add(ONE, folder.full(path), BY)).rejects.toMatchObject({ code: 'not_a_directory' });
  });

  it('refuses a folder that another executor holds, and says which process that is', async () => {
    const other = openWorkspaceRoot(made('app'));
    await expect(registry.add(ONE, folder.full('app'), BY)).rejects.toMatchObject({
      code: 'workspace_locked',
      message: expect.stringContaining(`pid ${process.pid}`),
    });
    other.close();
    expect([await log.lastSequence(), store.workspaceRows()]).toEqual([0, []]);
    await registry.add(ONE, folder.full('app'), BY);
  });

  it('gives the lock back when the log is not to be had', async () => {
    const append = log.append.bind(log);
    log.append = () => Promise.reject(new Error('refused'));
    await expect(registry.add(ONE, made('app'), BY)).rejects.toThrow('refused');
    log.append = append;
    expect(await registry.add(ONE, folder.full('app'), BY)).toMatchObject({ sequence: 1 });
  });
});

describe('a start', () => {
  it('fails where another executor holds a workspace, and gives the others back', async () => {
    await registry.add(ONE, made('a'), BY);
    await registry.add(TWO, made('b'), BY);
    await close();
    open();
    const other = openWorkspaceRoot(folder.full('b'));
    expect(() => registry.openAll()).toThrow(expect.objectContaining({ code: 'workspace_locked' }));
    await registry.close();
    other.close();
    openWorkspaceRoot(folder.full('a')).close();
  });

  it('knows no workspace that was never taken under care', () => {
    expect(() => registry.find('one')).toThrow(expect.objectContaining({ code: 'unknown_workspace' }));
  });
});

describe('folders that must not, or cannot, be under care', () => {
  it('are not those of the system itself, nor what holds or lies in them', async () => {
    fs.mkdirSync(`${folder.top}/home/data`, { recursive: true });
    for (const root of [`${folder.top}/home`, `${folder.top}/home/data`, folder.top])
      await expect(registry.add(ONE, root, BY)).rejects.toMatchObject({ code: 'workspace_overlaps' });
    expect(await events()).toEqual([]);
  });

  it('stop no other workspace when they are gone, and are taken up again once they are back', async () => {
    await registry.add(ONE, made('one'), BY);
    await registry.add(TWO, made('two'), BY);
    await close();
    fs.rmSync(folder.full('one'), { recursive: true });
    open();
    registry.openAll();
    expect([registry.has(ONE), registry.has(TWO)]).toEqual([false, true]);
    expect(registry.problems()).toEqual([expect.stringContaining(folder.full('one'))]);
    expect(() => registry.find(ONE)).toThrow(expect.objectContaining({ code: 'workspace_unavailable' }));
    await registry.add(ONE, made('one'), BY);
    expect(registry.problems()).toEqual([]);
    expect(lanes).toEqual([ONE]);
  });

  it('are named when they were moved under a running system', async () => {
    await registry.add(ONE, made('one'), BY);
    fs.renameSync(folder.full('one'), folder.full('elsewhere'));
    made('one');
    expect(registry.problems()).toEqual([expect.stringContaining('not at')]);
  });
});
