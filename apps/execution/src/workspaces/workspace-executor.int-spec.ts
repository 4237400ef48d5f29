import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { ABSENT } from '@retrace/contracts';
import { authorize } from '../testing/authorities.js';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { fileOf } from '../testing/requests.js';

let x: ExecutionFixture;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
});
afterEach(() => x.dispose());

const applied = { type: 'retrace.operation.applied.v1' };
const failed = (data: object) => ({ type: 'retrace.operation.failed.v1', data });
const stale = (path: string, why: string) => ({ type: 'retrace.intent.stale.v1', data: { paths: [{ path, why }] } });

describe('other names and open files', () => {
  it('writes a file with several names in place, so that both see it, and undoes it so', async () => {
    x.folder.put('a', 'old', 0o640);
    fs.linkSync(x.folder.full('a'), x.folder.full('b'));
    expect(await x.run(x.to.write('a', 'longer than before'))).toMatchObject({
      ...applied,
      data: { operations: [{ parameters: { write_mode: 'in_place' } }] },
    });
    expect(await x.run(x.to.edit('b', [{ old_text: 'longer', new_text: 'x' }]))).toMatchObject(applied);
    expect([x.folder.text('a'), x.folder.text('b'), x.folder.mode('a')]).toEqual([
      'x than before',
      'x than before',
      0o640,
    ]);
    await x.idle();
    await x.restore({ path: 'a', expect: fileOf('x than before', 0o640), restore: fileOf('old', 0o640) });
    expect([x.folder.text('b'), fs.statSync(x.folder.full('a')).nlink]).toEqual(['old', 2]);
  });

  it('keeps a file and its other name one file through several writes in one logical operation', async () => {
    x.folder.put('a', 'old');
    fs.linkSync(x.folder.full('a'), x.folder.full('b'));
    const edit = x.to.edit('a', [{ old_text: '1', new_text: '3' }]);
    expect(await x.run(x.to.write('a', '1'), edit, x.to.write('a', '4', { mode: 0o600 }))).toMatchObject(applied);
    expect([x.folder.text('b'), x.folder.mode('b'), fs.statSync(x.folder.full('a')).nlink]).toEqual(['4', 0o600, 2]);
    await x.idle();
    expect(
      ['old', '1', '3'].filter((text) => ![...x.blobs.content.values()].some((c) => c.toString() === text)),
    ).toEqual([]);
  });

  it('takes in-place writes back, newest first, when a later operation fails', async () => {
    x.folder.put('a', 'old');
    fs.linkSync(x.folder.full('a'), x.folder.full('b'));
    x.folder.put('c', 'C');
    const lastFails = x.to.write('c', 'D');
    const writer = fs.openSync(x.folder.full('c'), 'r+');
    expect(await x.run(x.to.write('a', '1'), x.to.write('a', '22'), lastFails)).toMatchObject(
      failed({ code: 'writer_active', needs_attention: [] }),
    );
    fs.closeSync(writer);
    expect([x.folder.text('b'), fs.statSync(x.folder.full('a')).nlink]).toEqual(['old', 2]);
  });

  it('leaves a file alone that somebody has open for writing', async () => {
    x.folder.put('a', 'A');
    const before = fs.statSync(x.folder.full('a')).ino;
    const writer = fs.openSync(x.folder.full('a'), 'r+');
    expect(await x.run(x.to.write('a', 'B'))).toMatchObject(failed({ code: 'writer_active', path: 'a' }));
    expect(await x.run(x.to.remove('a'))).toMatchObject(failed({ code: 'writer_active' }));
    fs.closeSync(writer);
    expect([x.folder.text('a'), fs.statSync(x.folder.full('a')).ino]).toEqual(['A', before]);
    expect(await x.run(x.to.write('a', 'B'))).toMatchObject(applied);
  });

  it('gives a new version the owner of the old one, also of one written twice', async () => {
    if (process.geteuid?.() !== 0) return;
    x.folder.put('a', 'A');
    fs.chownSync(x.folder.full('a'), 1234, 1234);
    await x.run(x.to.write('a', 'B'), x.to.write('a', 'C'));
    expect(fs.statSync(x.folder.full('a'))).toMatchObject({ uid: 1234, gid: 1234 });
  });
});

describe('what a caller expected, and what a decision rests on', () => {
  it('refuses what a caller did not expect, and names the last writer', async () => {
    await x.run(x.to.create('a', 'A'));
    const outcome = await x.run(x.to.write('a', 'B', { expected: fileOf('other') }));
    expect(outcome).toMatchObject(
      failed({ code: 'expected_mismatch', path: 'a', expected: fileOf('other'), found: fileOf('A') }),
    );
    expect(outcome).toMatchObject(failed({ message: expect.stringContaining('last written by amy') }));
    x.folder.put('b', 'B');
    expect(await x.run(x.to.remove('b', { expected: ABSENT }))).toMatchObject(
      failed({ code: 'expected_mismatch', message: expect.stringContaining('nobody on record') }),
    );
    expect(x.folder.text('a')).toBe('A');
  });

  it('asks again when something stands where nothing was assumed to', async () => {
    x.folder.put('a', 'A');
    const pin = { kind: 'absent', assumed: true } as const;
    expect(await x.run(x.to.write('a', 'B', { pin }))).toMatchObject(stale('a', 'assumed_absent'));
  });

  it('refuses what somebody else made where nothing was seen', async () => {
    x.folder.put('a', 'A');
    const pin = { kind: 'absent', assumed: false } as const;
    expect(await x.run(x.to.write('a', 'B', { pin }))).toMatchObject(
      failed({ code: 'changed_outside', path: 'a', expected: ABSENT, found: fileOf('A') }),
    );
    expect(x.folder.text('a')).toBe('A');
  });

  it('asks again when recorded work moved a state that was seen; refuses when others did, with both hashes', async () => {
    await x.run(x.to.create('a', 'A'));
    const pin = { kind: 'state', state: fileOf('before'), sequence: 1 } as const;
    expect(await x.run(x.to.write('a', 'B', { pin }))).toMatchObject(stale('a', 'moved'));
    x.folder.put('a', 'other');
    expect(await x.run(x.to.write('a', 'B', { pin }))).toMatchObject(
      failed({ code: 'changed_outside', expected: fileOf('before'), found: fileOf('other') }),
    );
  });

  it('goes on after the operation it waited for, and only then', async () => {
    const first = x.to.create('a', 'A');
    const pin = { kind: 'after', operation_id: first.request.operation_id } as const;
    expect(await x.run(x.to.write('a', 'B', { pin }))).toMatchObject(stale('a', 'moved'));
    await x.run(first);
    expect(await x.run(x.to.write('a', 'B', { pin }))).toMatchObject(applied);
    expect(await x.run(x.to.write('a', 'C', { pin }))).toMatchObject(stale('a', 'moved'));
  });
});

describe('one record', () => {
  it('says what the next one needs to know: who left what was found', async () => {
    const first = await authorize(x.log, [x.to.create('a', '1')]);
    const second = await authorize(x.log, [x.to.write('a', '2')]);
    await x.start(first);
    await x.start(second);
    await x.executor.untilKnown('all');
    const [one, two] = await x.outcomes();
    expect(one).toMatchObject({ data: { operations: [{ state_snapshot_before: { state: ABSENT, sequence: null } }] } });
    expect(two).toMatchObject({
      data: {
        operations: [
          {
            state_snapshot_before: { state: fileOf('1'), sequence: one!.sequence },
            state_snapshot_after: { state: fileOf('2'), sequence: 'self' },
            rollback_instruction: { path: 'a', expect: fileOf('2'), restore: fileOf('1') },
          },
        ],
      },
    });
  });

  it('is made once, however often the authority comes', async () => {
    const authority = await authorize(x.log, [x.to.edit('a', [{ old_text: 'x', new_text: 'xx', all: true }])]);
    x.folder.put('a', 'x');
    for (let i = 0; i < 3; i++) await x.execute(authority);
    expect(x.folder.text('a')).toBe('xx');
    expect(await x.outcomes()).toHaveLength(1);
    expect(x.store.positions.load('notes')).toMatchObject({ sequence: authority.sequence });
  });
});
