import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AuthorizedOperation, MAX_PATHS_PER_LOGICAL_OPERATION, WorkspacePathSchema } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { restoresOf } from '../testing/authorities.js';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { part, root } from '../testing/requests.js';

const FILES = 1_000;
const FOLDERS = 30;
const files = Array.from({ length: FILES }, (_, i) => `${i % FOLDERS}/f${i}`);
const folders = Array.from({ length: FOLDERS }, (_, i) => String(i));
const at = (path: string) => WorkspacePathSchema.parse(path);

let x: ExecutionFixture;
let turns: number;
let timer: NodeJS.Timeout;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
  turns = 0;
  timer = setInterval(() => (turns += 1), 1);
});
afterEach(() => {
  clearInterval(timer);
  return x.dispose();
});

/** Runs it; others of the process are served meanwhile. */
async function run(operations: readonly AuthorizedOperation[]) {
  const before = turns;
  const outcome = await x.run(...operations);
  if (outcome.type !== 'retrace.operation.applied.v1') throw new Error(JSON.stringify(outcome.data));
  expect(turns - before).toBeGreaterThan(5);
  return outcome.data.operations;
}

function moveOf(from: string, to: string): AuthorizedOperation[] {
  const { mkdir, move, rmdir } = x.to;
  const asked = newId('op');
  return [
    root(mkdir(to), asked, { recorded_as: 'move', moved: { from: at(from) } }),
    ...folders.map((name) => part(mkdir(`${to}/${name}`), asked, { moved: { from: at(`${from}/${name}`) } })),
    ...files.map((name) => part(move(`${from}/${name}`, `${to}/${name}`), asked)),
    ...folders.map((name) => part(rmdir(`${from}/${name}`), asked, { moved: { to: at(`${to}/${name}`) } })),
    part(rmdir(from), asked, { moved: { to: at(to) } }),
  ];
}

describe('one logical operation of many paths', () => {
  it('makes a tree, moves it, has the move undone, and removes it', async () => {
    const { create, mkdir, remove } = x.to;
    const asked = newId('op');
    await run([
      mkdir('t'),
      ...folders.map((name) => mkdir(`t/${name}`)),
      ...files.map((name) => create(`t/${name}`, name)),
    ]);
    const made = x.folder.tree();
    const inode = () => fs.statSync(x.folder.full('t/7/f7')).ino;
    const before = inode();
    const moved = await run(moveOf('t', 'm'));
    expect(moved).toHaveLength(2 * (FILES + FOLDERS + 1));
    expect(await x.restore(...restoresOf(moved))).toMatchObject({ type: 'retrace.operation.applied.v1' });
    expect([x.folder.tree(), inode()]).toEqual([made, before]);
    const below = [...files, ...folders].map((name) => part(remove(`t/${name}`), asked));
    const gone = await run([...below, root(remove('t'), asked)]);
    expect(x.folder.tree()).toEqual({});
    await x.idle();
    expect(x.folder.staged()).toEqual([]);
    expect(await x.restore(...restoresOf(gone))).toMatchObject({ type: 'retrace.operation.applied.v1' });
    expect(x.folder.tree()).toEqual(made);
  }, 240_000);

  it('is taken back whole when its last operation cannot be carried out', async () => {
    x.folder.put('busy', '1');
    const before = x.folder.tree();
    const writer = fs.openSync(x.folder.full('busy'), 'r+');
    const outcome = await x.run(...files.map((_, i) => x.to.mkdir(`d${i}`)), x.to.write('busy', '2'));
    fs.closeSync(writer);
    expect(outcome).toMatchObject({ data: { code: 'writer_active', failed_at: FILES, needs_attention: [] } });
    expect(x.folder.tree()).toEqual(before);
  }, 120_000);

  it('has a bound, which is told', async () => {
    const many = Array.from({ length: MAX_PATHS_PER_LOGICAL_OPERATION + 1 }, () => x.to.mkdir('d'));
    expect(await x.run(...many)).toMatchObject({ data: { code: 'too_many_paths' } });
    expect(x.folder.tree()).toEqual({});
  }, 120_000);
});
