import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { ABSENT } from '@retrace/contracts';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { hashOf } from '../testing/memory-blobs.js';
import { fileOf } from '../testing/requests.js';

let x: ExecutionFixture;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
});
afterEach(() => x.dispose());

const applied = { type: 'retrace.operation.applied.v1' };
const failed = (data: object) => ({ type: 'retrace.operation.failed.v1', data });

/** What somebody else does while the content of an operation is fetched. */
function meanwhile(content: string, act: () => void): void {
  x.blobs.onGet = (hash) => {
    if (hash === hashOf(content)) act();
  };
}

describe('all or none', () => {
  it('takes everything back bit for bit when a later operation cannot be carried out', async () => {
    for (const name of ['p1', 'p2', 'p3']) x.folder.put(name, name.slice(1), 0o640);
    x.folder.put('link-target', 'T');
    fs.symlinkSync('link-target', x.folder.full('l'));
    fs.mkdirSync(x.folder.full('empty'), { mode: 0o711 });
    const inodes = () => ['p1', 'p2', 'l', 'empty'].map((name) => fs.lstatSync(x.folder.full(name)).ino);
    const before = { tree: x.folder.tree(), inodes: inodes() };
    meanwhile('last', () => x.folder.put('out', 'a file'));
    const { to } = x;
    const outcome = await x.run(
      to.write('p1', 'new', { mode: 0o600 }),
      to.remove('p2'),
      to.remove('l'),
      to.create('fresh', 'F'),
      to.write('p3', '3', { mode: 0o755 }),
      to.mkdir('out'),
      to.create('out/p1', 'last'),
    );
    expect(outcome).toMatchObject(
      failed({ code: 'changed_outside', failed_at: 5, path: 'out', found: fileOf('a file'), needs_attention: [] }),
    );
    expect(x.folder.tree()).toEqual({ ...before.tree, out: 'file 644 YSBmaWxl' });
    expect(inodes()).toEqual(before.inodes);
    await x.idle();
    expect(x.folder.staged()).toEqual([]);
  });

  it('makes nothing when an operation cannot be planned, and leaves nothing in staging', async () => {
    x.folder.put('a', 'A');
    expect(await x.run(x.to.write('a', 'B'), x.to.create('b', 'B'), x.to.create('a', 'C'))).toMatchObject(
      failed({ code: 'exists', failed_at: 2 }),
    );
    expect([x.folder.tree(), x.folder.staged()]).toEqual([{ a: 'file 644 QQ==' }, []]);
  });

  it('refuses a folder that somebody fills while it is to be removed, and what came before it', async () => {
    x.folder.put('a', 'A');
    fs.mkdirSync(x.folder.full('d'));
    meanwhile('B', () => x.folder.put('d/theirs', 'T'));
    const outcome = await x.run(x.to.remove('d'), x.to.write('a', 'B'));
    expect(outcome).toMatchObject(
      failed({ code: 'not_empty', path: 'd', message: expect.stringContaining('"theirs"') }),
    );
    expect([x.folder.text('a'), x.folder.text('d/theirs')]).toEqual(['A', 'T']);
  });

  it('never overwrites what somebody changed after it was looked at', async () => {
    x.folder.put('a', 'A');
    meanwhile('B', () => x.folder.put('a', 'theirs'));
    expect(await x.run(x.to.write('a', 'B'))).toMatchObject(
      failed({ code: 'changed_outside', expected: fileOf('A'), found: fileOf('theirs') }),
    );
    expect(x.folder.text('a')).toBe('theirs');
  });
});

describe('operations that build on each other', () => {
  it('makes a folder and writes in it, creates and edits, edits twice, replaces and removes', async () => {
    const { to } = x;
    x.folder.put('old', '1');
    const outcome = await x.run(
      to.mkdir('d'),
      to.mkdir('d/e'),
      to.create('d/e/a', 'one two'),
      to.edit('d/e/a', [{ old_text: 'one', new_text: '1' }]),
      to.edit('d/e/a', [{ old_text: 'two', new_text: '2' }]),
      to.write('old', '2'),
      to.remove('old'),
      to.create('old', '3'),
    );
    expect(outcome).toMatchObject(applied);
    expect([x.folder.text('d/e/a'), x.folder.text('old')]).toEqual(['1 2', '3']);
    expect(outcome).toMatchObject({
      data: {
        operations: [
          { state_snapshot_before: { state: ABSENT, sequence: null } },
          {},
          {},
          { state_snapshot_before: { state: fileOf('one two'), sequence: 'self' } },
          { rollback_instruction: { restore: fileOf('1 two'), expect: fileOf('1 2') } },
          { state_snapshot_before: { sequence: null } },
          { state_snapshot_before: { state: fileOf('2'), sequence: 'self' } },
          { state_snapshot_before: { state: ABSENT, sequence: 'self' } },
        ],
      },
    });
    await x.idle();
    for (const content of ['1', '2', '1 two', '1 2']) expect(x.blobs.text(hashOf(content))).toBe(content);
  });

  it('empties and removes a folder, and knows that it is gone', async () => {
    x.folder.put('d/a', 'A');
    expect(await x.run(x.to.remove('d/a'), x.to.remove('d'), x.to.create('d/b', 'B'))).toMatchObject(
      failed({ code: 'absent', failed_at: 2 }),
    );
    expect(x.folder.text('d/a')).toBe('A');
  });

  it('does not remove a folder that an earlier operation fills', async () => {
    fs.mkdirSync(x.folder.full('d'));
    expect(await x.run(x.to.create('d/a', 'A'), x.to.remove('d'))).toMatchObject(
      failed({ code: 'not_empty', failed_at: 1 }),
    );
    expect(await x.run(x.to.create('d/a', 'A'), x.to.remove('d/a'), x.to.remove('d'))).toMatchObject(applied);
    expect(x.folder.tree()).toEqual({});
  });
});

describe('restoring', () => {
  it('brings a tree, modes, an empty folder and a link back, and says which operations that takes back', async () => {
    x.folder.put('t/a.txt', 'A', 0o640);
    fs.mkdirSync(x.folder.full('t/b'), { mode: 0o700 });
    fs.symlinkSync('a.txt', x.folder.full('t/l'));
    const start = x.folder.tree();
    const { to } = x;
    const gone = await x.run(to.remove('t/a.txt'), to.remove('t/b'), to.remove('t/l'), to.remove('t'));
    if (gone.type !== 'retrace.operation.applied.v1') throw new Error('not applied');
    await x.idle();
    const steps = gone.data.operations.toReversed().map(({ operation_id, rollback_instruction }) => ({
      ...rollback_instruction,
      compensates: operation_id,
    }));
    const back = await x.restore(...steps);
    expect(back).toMatchObject({
      ...applied,
      data: {
        kind: 'rollback',
        operations: steps.map(({ path, compensates }) => ({
          action: 'restore',
          path: { canonical: path },
          compensates: [compensates],
        })),
      },
    });
    expect(x.folder.tree()).toEqual(start);
  });

  it('restores nothing at all when one path is not as the plan saw it, and names both states', async () => {
    await x.run(x.to.create('a', 'A'), x.to.create('b', 'B'));
    x.folder.put('b', 'theirs');
    const outcome = await x.restore(
      { path: 'a', expect: fileOf('A'), restore: ABSENT },
      { path: 'b', expect: fileOf('B'), restore: ABSENT },
    );
    expect(outcome).toMatchObject(
      failed({ code: 'changed_outside', path: 'b', failed_at: 1, expected: fileOf('B'), found: fileOf('theirs') }),
    );
    expect([x.folder.text('a'), x.folder.text('b')]).toEqual(['A', 'theirs']);
  });

  it('sets a mode back without asking for content', async () => {
    x.folder.put('a', 'nobody stored this', 0o755);
    const outcome = await x.restore({
      path: 'a',
      expect: fileOf('nobody stored this', 0o755),
      restore: fileOf('nobody stored this', 0o600),
    });
    expect([outcome.type, x.folder.mode('a')]).toEqual([applied.type, 0o600]);
  });

  it('says so when the pre-image is not to be had', async () => {
    expect(await x.restore({ path: 'a', expect: ABSENT, restore: fileOf('lost') })).toMatchObject(
      failed({ code: 'blob_absent', path: 'a' }),
    );
  });

  it('does not follow a link that took the place of a folder', async () => {
    await x.run(x.to.mkdir('d'), x.to.create('d/a', 'A'));
    fs.renameSync(x.folder.full('d'), x.folder.full('e'));
    fs.symlinkSync('e', x.folder.full('d'));
    expect(await x.restore({ path: 'd/a', expect: fileOf('A'), restore: ABSENT })).toMatchObject(
      failed({ code: 'link_refused' }),
    );
    expect(x.folder.text('e/a')).toBe('A');
  });
});

it('does all of it when everything is synced to the disk, too', async () => {
  const synced = new ExecutionFixture(new MemoryEventLog(), undefined, undefined, 'power');
  const { folder, to } = synced;
  folder.put('linked', 'old');
  fs.linkSync(folder.full('linked'), folder.full('other name'));
  folder.put('gone', 'G');
  const start = folder.tree();
  const operations = [to.mkdir('d'), to.create('d/a', 'A'), to.write('linked', 'new'), to.remove('gone')];
  expect(await synced.run(...operations, to.write('d/a', 'B', { mode: 0o600 }))).toMatchObject(applied);
  const refused = [to.write('linked', 'newer'), to.remove('d/a'), to.create('linked', 'no')];
  expect(await synced.run(...refused)).toMatchObject(failed({ code: 'exists' }));
  await synced.idle();
  const back = [
    { path: 'gone', expect: ABSENT, restore: fileOf('G') },
    { path: 'linked', expect: fileOf('new'), restore: fileOf('old') },
    { path: 'd/a', expect: fileOf('B', 0o600), restore: ABSENT },
    { path: 'd', expect: { kind: 'directory', mode: 0o755 } as const, restore: ABSENT },
  ];
  expect(await synced.restore(...back)).toMatchObject(applied);
  expect(folder.tree()).toEqual(start);
  await synced.dispose();
});

it('restores a file, and absence where something once lay below it', async () => {
  x.folder.put('c', 'zero');
  await x.run(x.to.remove('c'));
  await x.idle();
  await x.run(x.to.create('c', 'one'));
  const steps = [
    { path: 'c/a', expect: ABSENT, restore: ABSENT },
    { path: 'c', expect: fileOf('one'), restore: fileOf('zero') },
  ];
  expect(await x.restore(...steps)).toMatchObject(applied);
  expect(x.folder.bytes('c').toString()).toBe('zero');
});

it('leaves absent what lay below a path that is a link now', async () => {
  x.folder.put('file', '1');
  fs.symlinkSync('file', x.folder.full('c'));
  expect(await x.restore({ path: 'c/a', expect: ABSENT, restore: ABSENT })).toMatchObject(applied);
});
