import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT, type OperationRecord } from '@retrace/contracts';
import { deriveId } from '@retrace/event-log';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { restoresOf } from '../testing/authorities.js';
import { ExecutionFixture, type OutcomeEvent } from '../testing/execution-fixture.js';
import { hashOf } from '../testing/memory-blobs.js';
import { fileOf } from '../testing/requests.js';

let x: ExecutionFixture;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
});
afterEach(() => x.dispose());

const applied = { type: 'retrace.operation.applied.v1' };
const failed = (data: object) => ({ type: 'retrace.operation.failed.v1', data });
const stale = (path: string, why: string) => ({ type: 'retrace.intent.stale.v1', data: { paths: [{ path, why }] } });
const LARGE = Buffer.alloc(9 * 1024 * 1024, 'large ');

function recordsOf(outcome: OutcomeEvent): OperationRecord[] {
  if (outcome.type !== 'retrace.operation.applied.v1') throw new Error(JSON.stringify(outcome.data));
  return outcome.data.operations;
}

/** Applied, undone, and everything is as before. */
async function expectUndone(outcome: OutcomeEvent, before: Record<string, string>): Promise<void> {
  await x.idle();
  expect(await x.restore(...restoresOf(recordsOf(outcome)))).toMatchObject(applied);
  expect(x.folder.tree()).toEqual(before);
  await x.idle();
}

describe('append', () => {
  it('adds to the end of a file, keeps its mode, and begins one that is not there', async () => {
    x.folder.put('log', 'one\n', 0o640);
    const before = x.folder.tree();
    const outcome = await x.run(x.to.append('log', 'two\n'), x.to.append('log', 'three\n'), x.to.append('new', 'N'));
    expect([x.folder.text('log'), x.folder.mode('log'), x.folder.text('new')]).toEqual([
      'one\ntwo\nthree\n',
      0o640,
      'N',
    ]);
    expect(recordsOf(outcome).map(({ action }) => action)).toEqual(['append', 'append', 'append']);
    await x.idle();
    for (const content of ['one\n', 'one\ntwo\n', 'one\ntwo\nthree\n'])
      expect(x.blobs.text(hashOf(content))).toBe(content);
    await expectUndone(outcome, before);
  });

  it('takes a file through that no memory should hold, and what comes behind it', async () => {
    x.folder.put('large', LARGE);
    const before = x.folder.tree();
    const outcome = await x.run(x.to.append('large', 'end'), x.to.append('large', LARGE), x.to.append('large', '!'));
    const right = Buffer.concat([LARGE, Buffer.from('end'), LARGE, Buffer.from('!')]);
    expect(hashOf(x.folder.bytes('large'))).toBe(hashOf(right));
    expect(recordsOf(outcome).at(-1)).toMatchObject({ state_snapshot_after: { state: fileOf(right) } });
    await x.idle();
    expect(x.blobs.content.has(hashOf(right))).toBe(true);
    await expectUndone(outcome, before);
  });

  it('writes through the other names of a file', async () => {
    x.folder.put('a', 'A');
    fs.linkSync(x.folder.full('a'), x.folder.full('b'));
    expect(await x.run(x.to.append('a', 'B'))).toMatchObject(applied);
    expect([x.folder.text('b'), fs.statSync(x.folder.full('b')).nlink]).toEqual(['AB', 2]);
  });

  it('is refused on what is no file, and asks again through a link', async () => {
    fs.mkdirSync(x.folder.full('d'));
    fs.symlinkSync('d', x.folder.full('l'));
    expect(await x.run(x.to.append('d', 'A'))).toMatchObject(failed({ code: 'not_a_file', path: 'd' }));
    expect(await x.run(x.to.append('l', 'A'))).toMatchObject(stale('l', 'link'));
  });

  it('says where a byte-order mark comes to stand', async () => {
    x.folder.put('a', 'A');
    expect(recordsOf(await x.run(x.to.append('a', '\uFEFFB')))).toMatchObject([
      { notes: [expect.stringContaining('byte-order mark')] },
    ]);
  });

  it('refuses content that is not what was announced', async () => {
    x.folder.put('large', LARGE);
    const operation = x.to.append('large', 'end');
    const request = { ...operation.request, size: 2 } as typeof operation.request;
    expect(await x.run({ ...operation, request })).toMatchObject(failed({ code: 'blob_mismatch' }));
    expect(hashOf(x.folder.bytes('large'))).toBe(hashOf(LARGE));
  });
});

describe('rmdir', () => {
  it('removes an empty folder and nothing else', async () => {
    fs.mkdirSync(x.folder.full('d'), { mode: 0o711 });
    x.folder.put('full/a', 'A');
    const before = x.folder.tree();
    expect(await x.run(x.to.rmdir('full'))).toMatchObject(failed({ code: 'not_empty' }));
    expect(await x.run(x.to.rmdir('full/a'))).toMatchObject(failed({ code: 'not_a_folder' }));
    expect(await x.run(x.to.rmdir('none'))).toMatchObject(failed({ code: 'absent' }));
    expect(x.folder.tree()).toEqual(before);
    await expectUndone(await x.run(x.to.rmdir('d')), before);
  });
});

describe('chmod', () => {
  it('sets the bits of a file and a folder; times, bytes and inode stay', async () => {
    x.folder.put('a', 'A', 0o644);
    fs.mkdirSync(x.folder.full('d'), { mode: 0o755 });
    const inode = fs.statSync(x.folder.full('a')).ino;
    const before = x.folder.tree();
    const outcome = await x.run(x.to.chmod('a', 0o750), x.to.chmod('d', 0o700));
    expect([x.folder.mode('a'), x.folder.mode('d'), fs.statSync(x.folder.full('a')).ino]).toEqual([
      0o750,
      0o700,
      inode,
    ]);
    await expectUndone(outcome, before);
  });

  it('takes set-id bits from a file, and leaves setgid and sticky of a folder', async () => {
    x.folder.put('tool', 'T', 0o4755);
    fs.mkdirSync(x.folder.full('shared'));
    fs.chmodSync(x.folder.full('shared'), 0o3775);
    const [tool, shared] = recordsOf(await x.run(x.to.chmod('tool', 0o711), x.to.chmod('shared', 0o750)));
    expect([x.folder.mode('tool'), x.folder.mode('shared')]).toEqual([0o711, 0o3750]);
    expect([tool!.notes, shared!.notes]).toEqual([[expect.stringContaining('set-id')], []]);
  });

  it('goes with an edit of a file that nobody stored', async () => {
    x.folder.put('a', 'A');
    expect(await x.run(x.to.chmod('a', 0o600), x.to.edit('a', [{ old_text: 'A', new_text: 'B' }]))).toMatchObject(
      applied,
    );
    expect([x.folder.text('a'), x.folder.mode('a')]).toEqual(['B', 0o600]);
  });
});

describe('symlink', () => {
  it('places a link, and never instead of something', async () => {
    x.folder.put('a', 'A');
    const before = x.folder.tree();
    expect(await x.run(x.to.symlink('a', 'b'))).toMatchObject(failed({ code: 'exists' }));
    const outcome = await x.run(x.to.symlink('l', 'a'));
    expect(fs.readlinkSync(x.folder.full('l'))).toBe('a');
    await expectUndone(outcome, before);
  });
});

describe('copy', () => {
  it('makes a file of the same bytes and mode, without set-id bits; a link stays a link', async () => {
    x.folder.put('run.sh', '#!/bin/sh\n', 0o4755);
    fs.symlinkSync('run.sh', x.folder.full('l'));
    const before = x.folder.tree();
    const outcome = await x.run(x.to.copy('run.sh', 'copy.sh'), x.to.copy('l', 'l2'));
    expect([x.folder.text('copy.sh'), x.folder.mode('copy.sh')]).toEqual(['#!/bin/sh\n', 0o755]);
    expect(fs.readlinkSync(x.folder.full('l2'))).toBe('run.sh');
    expect(recordsOf(outcome)).toMatchObject([
      { action: 'copy', path: { typed: 'copy.sh', canonical: 'copy.sh' }, copied_from: 'run.sh', part_of: null },
      { action: 'copy', copied_from: 'l' },
    ]);
    await x.idle();
    expect(x.blobs.text(hashOf('#!/bin/sh\n'))).toBe('#!/bin/sh\n');
    await expectUndone(outcome, before);
  });

  it('stores content that it alone knows, large or not, and what it replaced', async () => {
    x.folder.put('large', LARGE);
    x.folder.put('old', 'old');
    const before = x.folder.tree();
    expect(await x.run(x.to.copy('large', 'old'))).toMatchObject(failed({ code: 'exists' }));
    const outcome = await x.run(x.to.copy('large', 'old', { overwrite: true }));
    await x.idle();
    expect([x.blobs.content.has(hashOf(LARGE)), x.blobs.text(hashOf('old'))]).toEqual([true, 'old']);
    await expectUndone(outcome, before);
  });

  it('copies what the same logical operation made, and what it changed', async () => {
    x.folder.put('a', '1');
    const { to } = x;
    expect(
      await x.run(
        to.edit('a', [{ old_text: '1', new_text: '2' }]),
        to.copy('a', 'b'),
        to.create('c', LARGE),
        to.copy('c', 'd'),
      ),
    ).toMatchObject(applied);
    expect([x.folder.text('b'), hashOf(x.folder.bytes('d'))]).toEqual(['2', hashOf(LARGE)]);
  });

  it('is a file like any other to what comes after it in the same logical operation', async () => {
    x.folder.put('a', '1');
    const before = x.folder.tree();
    const { to } = x;
    const outcome = await x.run(
      to.copy('a', 'b'),
      to.edit('b', [{ old_text: '1', new_text: '2' }]),
      to.copy('a', 'c'),
      to.copy('c', 'd'),
      to.append('d', '+'),
      to.copy('d', 'e'),
      to.edit('e', [{ old_text: '+', new_text: '-' }]),
      to.copy('a', 'f'),
      to.move('f', 'g'),
      to.write('g', '3'),
    );
    expect(recordsOf(outcome)).not.toEqual([]);
    expect(['b', 'c', 'd', 'e', 'g'].map((name) => x.folder.text(name))).toEqual(['2', '1', '1+', '1-', '3']);
    await expectUndone(outcome, before);
  });

  it('asks again where a link lies on the way to either end', async () => {
    x.folder.put('real/a', 'A');
    fs.symlinkSync('real', x.folder.full('l'));
    expect(await x.run(x.to.copy('l/a', 'b'))).toMatchObject(stale('l/a', 'link'));
    expect(await x.run(x.to.move('real/a', 'l/b'))).toMatchObject(stale('l/b', 'link'));
  });

  it('is refused for what cannot be copied, and where a folder stands', async () => {
    spawnSync('mkfifo', [x.folder.full('pipe')]);
    x.folder.put('d/a', 'A');
    x.folder.put('a', 'A');
    for (const [from, to, code] of [
      ['pipe', 'p2', 'not_a_file'],
      ['d', 'd2', 'not_a_file'],
      ['none', 'n2', 'absent'],
      ['a', 'd', 'exists'],
      ['a', 'a', 'into_itself'],
      ['a', 'no/where', 'absent'],
    ] as const)
      expect(await x.run(x.to.copy(from, to, { overwrite: true }))).toMatchObject(failed({ code }));
  });
});

describe('move', () => {
  it('takes the object itself to its new path: inode, times and bytes are the same, and no content is stored', async () => {
    x.folder.put('a', 'A', 0o640);
    fs.utimesSync(x.folder.full('a'), 978_307_200, 978_307_200);
    fs.mkdirSync(x.folder.full('d'));
    const stat = (name: string) => {
      const { ino, mtimeNs } = fs.lstatSync(x.folder.full(name), { bigint: true });
      return [ino, mtimeNs];
    };
    const [before, was] = [x.folder.tree(), stat('a')];
    const move = x.to.move('a', 'd/b');
    const outcome = await x.run(move);
    expect([stat('d/b'), x.folder.mode('d/b'), fs.existsSync(x.folder.full('a'))]).toEqual([was, 0o640, false]);
    const { operation_id } = move.request;
    expect(recordsOf(outcome)).toMatchObject([
      {
        operation_id: deriveId('op', operation_id, 'source'),
        part_of: operation_id,
        path: { canonical: 'a' },
        moved_to: 'd/b',
        moved_from: null,
        state_snapshot_after: { state: ABSENT },
        undo_coverage: { lost: [] },
      },
      { operation_id, part_of: null, path: { typed: 'd/b', canonical: 'd/b' }, moved_from: 'a', moved_to: null },
    ]);
    await x.idle();
    expect(x.blobs.content.size).toBe(0);
    await expectUndone(outcome, before);
    expect(stat('a')).toEqual(was);
  });

  it('moves a link as a link, and a file with its other names', async () => {
    x.folder.put('a', 'A');
    fs.linkSync(x.folder.full('a'), x.folder.full('other'));
    fs.symlinkSync('nowhere', x.folder.full('l'));
    const before = x.folder.tree();
    const outcome = await x.run(x.to.move('a', 'b'), x.to.move('l', 'm'));
    expect([fs.readlinkSync(x.folder.full('m')), fs.statSync(x.folder.full('b')).nlink]).toEqual(['nowhere', 2]);
    await expectUndone(outcome, before);
  });

  it('replaces only where that is asked for, and keeps what it replaced', async () => {
    x.folder.put('a', 'A', 0o600);
    x.folder.put('b', LARGE);
    const before = x.folder.tree();
    expect(await x.run(x.to.move('a', 'b'))).toMatchObject(failed({ code: 'exists', path: 'b' }));
    const outcome = await x.run(x.to.move('a', 'b', { overwrite: true }));
    expect(x.folder.tree()).toEqual({ b: 'file 600 QQ==' });
    expect(recordsOf(outcome)[1]).toMatchObject({
      parameters: { overwrite: true },
      rollback_instruction: { expect: fileOf('A', 0o600), restore: fileOf(LARGE) },
    });
    await expectUndone(outcome, before);
  });

  it('replaces a file of the same bytes by the very object that is moved', async () => {
    x.folder.put('a', 'same');
    x.folder.put('b', 'same');
    const { ino } = fs.statSync(x.folder.full('a'));
    const before = x.folder.tree();
    const outcome = await x.run(x.to.move('a', 'b', { overwrite: true }));
    expect([fs.statSync(x.folder.full('b')).ino, x.folder.tree()]).toEqual([ino, { b: before['a'] }]);
    await expectUndone(outcome, before);
  });

  it('goes on in the same logical operation: moved again, edited, appended to, copied, written over, removed', async () => {
    for (const name of ['a', 'e', 'p', 'c', 'w', 'r', 'm']) x.folder.put(name, name);
    const before = x.folder.tree();
    const { to } = x;
    const outcome = await x.run(
      to.move('a', 'a1'),
      to.move('a1', 'a2'),
      to.move('e', 'e1'),
      to.edit('e1', [{ old_text: 'e', new_text: 'E' }]),
      to.move('p', 'p1'),
      to.append('p1', '+'),
      to.move('c', 'c1'),
      to.copy('c1', 'c2'),
      to.move('w', 'w1'),
      to.write('w1', 'W'),
      to.move('r', 'r1'),
      to.remove('r1'),
      to.move('m', 'm1'),
      to.chmod('m1', 0o600),
      to.create('m', 'new'),
    );
    expect(recordsOf(outcome)).not.toEqual([]);
    const names = Object.keys(x.folder.tree()).toSorted();
    expect(names).toEqual(['a2', 'c1', 'c2', 'e1', 'm', 'm1', 'p1', 'w1']);
    expect(['a2', 'c2', 'e1', 'p1', 'w1', 'm1', 'm'].map((name) => x.folder.text(name))).toEqual([
      'a',
      'c',
      'E',
      'p+',
      'W',
      'm',
      'new',
    ]);
    await expectUndone(outcome, before);
  });

  it('swaps two files by way of a third name', async () => {
    x.folder.put('a', 'A');
    x.folder.put('b', 'B');
    const before = x.folder.tree();
    const outcome = await x.run(x.to.move('a', 't'), x.to.move('b', 'a'), x.to.move('t', 'b'));
    expect([x.folder.text('a'), x.folder.text('b')]).toEqual(['B', 'A']);
    await expectUndone(outcome, before);
  });

  it('is taken back whole when a later operation cannot be carried out', async () => {
    x.folder.put('a', 'A');
    x.folder.put('b', 'B');
    x.folder.put('busy', '1');
    const before = x.folder.tree();
    const writer = fs.openSync(x.folder.full('busy'), 'r+');
    expect(await x.run(x.to.move('a', 'b', { overwrite: true }), x.to.write('busy', '2'))).toMatchObject(
      failed({ code: 'writer_active', failed_at: 1, needs_attention: [] }),
    );
    fs.closeSync(writer);
    expect(x.folder.tree()).toEqual(before);
    await x.idle();
    expect(x.folder.staged()).toEqual([]);
  });

  it('leaves a file alone that somebody writes to, and one that came to stand at its new path', async () => {
    x.folder.put('a', 'A');
    const writer = fs.openSync(x.folder.full('a'), 'r+');
    expect(await x.run(x.to.move('a', 'b'))).toMatchObject(failed({ code: 'writer_active', path: 'a' }));
    fs.closeSync(writer);
    x.blobs.onGet = () => x.folder.put('b', 'theirs');
    expect(await x.run(x.to.move('a', 'b'), x.to.create('c', 'C'))).toMatchObject(
      failed({ code: 'changed_outside', failed_at: 0, path: 'b', found: fileOf('theirs'), needs_attention: [] }),
    );
    expect(x.folder.tree()).toMatchObject({ a: 'file 644 QQ==', b: expect.anything() });
  });

  it('rests on the pins of both ends, and on what the caller expects of the first', async () => {
    x.folder.put('a', 'A');
    const sourcePin = { kind: 'state', state: fileOf('other'), sequence: 1 } as const;
    expect(await x.run(x.to.move('a', 'b', { sourcePin }))).toMatchObject(
      failed({ code: 'changed_outside', path: 'a' }),
    );
    expect(await x.run(x.to.move('a', 'b', { expected: fileOf('other') }))).toMatchObject(
      failed({ code: 'expected_mismatch', path: 'a' }),
    );
    const first = x.to.move('a', 'b');
    await x.run(first);
    const after = { kind: 'after', operation_id: first.request.operation_id } as const;
    expect(await x.run(x.to.create('a', '2', { pin: after }), x.to.write('b', '3', { pin: after }))).toMatchObject(
      applied,
    );
  });
});

it('goes back itself only where it is still what it was; else it is made anew', async () => {
  x.folder.put('a', 'A');
  x.blobs.keep('A');
  await x.run(x.to.move('a', 'b'));
  await x.run(x.to.append('b', '+'));
  const back = await x.restore(
    { path: 'b', expect: fileOf('A+'), restore: ABSENT, moves_to: 'a' },
    { path: 'a', expect: ABSENT, restore: fileOf('A'), moves_from: 'b', how: 'merge' },
  );
  expect(recordsOf(back)).toMatchObject([
    { action: 'restore', moved_to: null },
    { moved_from: null, notes: [expect.stringContaining('merged')] },
  ]);
  expect(x.folder.tree()).toEqual({ a: 'file 644 QQ==' });
});

describe('a link that is carried', () => {
  const up = ['../../out', '/etc/passwd', '../.retrace/journal', '../.RETRACE/x'];

  it.each(up)('to where %j leads out, or into the control folder, stays where it is', async (target) => {
    fs.mkdirSync(x.folder.full('a/b/c'), { recursive: true });
    fs.symlinkSync(target, x.folder.full('a/b/c/l'));
    const before = x.folder.tree();
    for (const action of ['move', 'copy'] as const)
      expect(await x.run(x.to.create('first', '1'), x.to[action]('a/b/c/l', 'a/l'))).toMatchObject(
        failed({
          code: 'link_refused',
          failed_at: 1,
          path: 'a/b/c/l',
          found: { kind: 'link', target },
          message: expect.stringContaining('which at a/l'),
        }),
      );
    expect(x.folder.tree()).toEqual(before);
  });

  it('goes to where it leads inside, and an undo brings it back to where it led out', async () => {
    fs.mkdirSync(x.folder.full('a/b'), { recursive: true });
    fs.symlinkSync('../../x', x.folder.full('a/l'));
    const before = x.folder.tree();
    const outcome = await x.run(x.to.move('a/l', 'a/b/l'));
    expect(fs.readlinkSync(x.folder.full('a/b/l'))).toBe('../../x');
    await expectUndone(outcome, before);
  });
});
