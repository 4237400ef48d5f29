import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type OperationRecord, WorkspacePathSchema } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { restoresOf } from '../testing/authorities.js';
import { ExecutionFixture, type OutcomeEvent } from '../testing/execution-fixture.js';
import { part, root } from '../testing/requests.js';

let x: ExecutionFixture;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
  x.folder.put('t/a.txt', 'A', 0o640);
  fs.mkdirSync(x.folder.full('t/b'), { mode: 0o700 });
  fs.symlinkSync('a.txt', x.folder.full('t/l'));
});
afterEach(() => x.dispose());

const applied = { type: 'retrace.operation.applied.v1' };
const asked = newId('op');
const at = (path: string) => WorkspacePathSchema.parse(path);

function recordsOf(outcome: OutcomeEvent): OperationRecord[] {
  if (outcome.type !== 'retrace.operation.applied.v1') throw new Error(JSON.stringify(outcome.data));
  return outcome.data.operations;
}

async function expectUndone(outcome: OutcomeEvent, before: Record<string, string>): Promise<void> {
  await x.idle();
  expect(await x.restore(...restoresOf(recordsOf(outcome)))).toMatchObject(applied);
  expect(x.folder.tree()).toEqual(before);
}

/** As policy expands the removal of `t`. */
const removal = () => [
  part(x.to.remove('t/l'), asked),
  part(x.to.remove('t/b'), asked),
  part(x.to.remove('t/a.txt'), asked),
  root(x.to.remove('t'), asked),
];

describe('a folder removed with all that is in it', () => {
  it('has a record for each path, and comes back: mode, empty folder and link', async () => {
    const before = x.folder.tree();
    const outcome = await x.run(...removal());
    expect(x.folder.tree()).toEqual({});
    const told = recordsOf(outcome).map((one) => [
      one.path.canonical,
      one.action,
      one.part_of,
      one.operation_id === asked,
    ]);
    expect(told).toEqual([
      ['t/l', 'delete', asked, false],
      ['t/b', 'delete', asked, false],
      ['t/a.txt', 'delete', asked, false],
      ['t', 'delete', null, true],
    ]);
    await expectUndone(outcome, before);
  });

  it('is decided anew when recorded work put something into it', async () => {
    await x.run(x.to.create('t/new', 'N'));
    const recursive = root({ ...x.to.remove('t') }, asked);
    const operation = { ...recursive, request: { ...recursive.request, recursive: true } as typeof recursive.request };
    expect(await x.run(...removal().slice(0, -1), operation)).toMatchObject({
      type: 'retrace.intent.stale.v1',
      data: { paths: [{ path: 't/new', why: 'moved' }] },
    });
    expect(x.folder.text('t/a.txt')).toBe('A');
  });

  it('stays when somebody put something into it whom nobody recorded; that is named', async () => {
    const before = x.folder.tree();
    x.folder.put('t/b/theirs', 'T');
    expect(await x.run(...removal())).toMatchObject({
      type: 'retrace.operation.failed.v1',
      data: {
        code: 'changed_outside',
        path: 't/b/theirs',
        failed_at: 1,
        message: expect.stringContaining('t/b/theirs'),
      },
    });
    expect(x.folder.tree()).toMatchObject(before);
  });
});

describe('a folder moved', () => {
  const move = () => [
    root(x.to.mkdir('n'), asked, { recorded_as: 'move', moved: { from: at('t') } }),
    part(x.to.mkdir('n/b', { mode: 0o700 }), asked, { moved: { from: at('t/b') } }),
    part(x.to.move('t/a.txt', 'n/a.txt'), asked),
    part(x.to.move('t/l', 'n/l'), asked),
    part(x.to.rmdir('t/b'), asked, { moved: { to: at('n/b') } }),
    part(x.to.rmdir('t'), asked, { moved: { to: at('n') } }),
  ];

  it('carries its files over as they are, and each path says where it came from or went', async () => {
    const before = x.folder.tree();
    const { ino } = fs.statSync(x.folder.full('t/a.txt'));
    const outcome = await x.run(...move());
    expect(fs.statSync(x.folder.full('n/a.txt')).ino).toBe(ino);
    expect(Object.keys(x.folder.tree()).toSorted()).toEqual(['n', 'n/a.txt', 'n/b', 'n/l']);
    const told = recordsOf(outcome).map((one) => [
      one.action,
      one.path.canonical,
      one.moved_from,
      one.moved_to,
      one.part_of,
    ]);
    expect(told).toEqual([
      ['move', 'n', 't', null, null],
      ['mkdir', 'n/b', 't/b', null, asked],
      ['move', 't/a.txt', null, 'n/a.txt', asked],
      ['move', 'n/a.txt', 't/a.txt', null, asked],
      ['move', 't/l', null, 'n/l', asked],
      ['move', 'n/l', 't/l', null, asked],
      ['rmdir', 't/b', null, 'n/b', asked],
      ['rmdir', 't', null, 'n', asked],
    ]);
    await expectUndone(outcome, before);
    expect(fs.statSync(x.folder.full('t/a.txt')).ino).toBe(ino);
  });

  it('is not mixed into a folder that stands at the new path by now', async () => {
    const before = x.folder.tree();
    fs.mkdirSync(x.folder.full('n'));
    expect(await x.run(...move())).toMatchObject({ data: { code: 'exists', path: 'n', failed_at: 0 } });
    expect(x.folder.tree()).toMatchObject(before);
  });

  it('stops at the first failure and leaves everything where it was', async () => {
    for (const name of ['p1', 'p2', 'p3']) x.folder.put(`${name}.txt`, name.slice(1));
    x.folder.put('out', 'a file named so');
    const before = x.folder.tree();
    const { to } = x;
    const outcome = await x.run(
      to.mkdir('out'),
      ...['p1', 'p2', 'p3'].map((name) => to.move(`${name}.txt`, `out/${name}.txt`)),
    );
    expect(outcome).toMatchObject({
      type: 'retrace.operation.failed.v1',
      data: { code: 'exists', failed_at: 0, path: 'out' },
    });
    expect(x.folder.tree()).toEqual(before);
  });
});

it('a folder copied: the root is the copy, its folders are parts, and files say what they are copies of', async () => {
  const before = x.folder.tree();
  const outcome = await x.run(
    root(x.to.mkdir('c'), asked, { recorded_as: 'copy' }),
    part(x.to.mkdir('c/b', { mode: 0o700 }), asked),
    part(x.to.copy('t/a.txt', 'c/a.txt'), asked),
    part(x.to.copy('t/l', 'c/l'), asked),
  );
  expect(recordsOf(outcome)).toMatchObject([
    { action: 'copy', part_of: null, operation_id: asked, path: { canonical: 'c' } },
    { action: 'mkdir', part_of: asked },
    { action: 'copy', part_of: asked, copied_from: 't/a.txt' },
    { action: 'copy', part_of: asked, copied_from: 't/l' },
  ]);
  expect(x.folder.tree()).toMatchObject({ ...before, 'c/a.txt': before['t/a.txt'], 'c/l': before['t/l'] });
  await expectUndone(outcome, before);
});
