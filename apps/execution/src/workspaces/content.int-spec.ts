import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { ABSENT, RetraceError } from '@retrace/contracts';
import { authorize, WORKSPACE } from '../testing/authorities.js';
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
const LARGE = Buffer.alloc(200_000, 'large ');
const HUGE = Buffer.alloc(9 * 1024 * 1024, 'huge ');

async function expectNothingLeft(): Promise<void> {
  await x.idle();
  expect([x.store.records(WORKSPACE), x.folder.staged()]).toEqual([[], []]);
}

describe('pre-images', () => {
  it('are in the blob store once nothing rests on the journal any more, small or large', async () => {
    x.folder.put('small', 'S');
    x.folder.put('large', LARGE);
    x.folder.put('gone', Buffer.concat([LARGE, LARGE]));
    x.folder.put('linked', Buffer.concat([LARGE, LARGE, LARGE]));
    fs.linkSync(x.folder.full('linked'), x.folder.full('other name'));
    await x.run(x.to.write('small', '1'), x.to.write('large', '2'), x.to.remove('gone'), x.to.write('linked', '3'));
    await expectNothingLeft();
    expect(x.blobs.text(hashOf('S'))).toBe('S');
    for (const times of [1, 2, 3]) {
      const content = Buffer.concat(Array.from({ length: times }, () => LARGE));
      expect(x.blobs.content.get(hashOf(content))?.length).toBe(content.length);
    }
    expect(x.blobs.adopted).toHaveLength(3);
  });

  it('stay in the journal and in staging while the blob store is away, over a restart', async () => {
    x.folder.put('small', 'S');
    x.folder.put('large', LARGE);
    x.blobs.down = true;
    await x.run(x.to.remove('large'), x.to.remove('small'));
    expect(x.store.records(WORKSPACE)).toHaveLength(1);
    expect(x.folder.staged()).not.toEqual([]);
    x.blobs.down = false;
    await x.restart();
    await expectNothingLeft();
    expect([x.blobs.text(hashOf('S')), x.blobs.text(hashOf(LARGE))]).toEqual(['S', LARGE.toString()]);
  });

  it('are handed over once: not where an outcome names them as stored, but where it only moved them or set their mode', async () => {
    const handed: string[] = [];
    const put = x.blobs.put.bind(x.blobs);
    x.blobs.put = (hash, content) => {
      handed.push(Buffer.from(content).toString());
      return put(hash, content);
    };
    x.folder.put('found', 'F');
    await x.run(x.to.write('own', '1'));
    await x.run(x.to.write('own', '2'));
    await x.run(x.to.edit('own', [{ old_text: '2', new_text: '3' }]));
    await x.run(x.to.move('own', 'own too'));
    await x.run(x.to.remove('own too'));
    await x.idle();
    expect(handed).toEqual(['3']);
    await x.run(x.to.move('found', 'moved'));
    await x.run(x.to.chmod('moved', 0o600));
    await x.run(x.to.write('moved', '4'));
    await x.idle();
    expect(handed).toEqual(['3', 'F']);
  });

  it('that somebody removed from staging do not hold the journal for ever', async () => {
    x.folder.put('large', LARGE);
    x.blobs.down = true;
    await x.run(x.to.remove('large'));
    for (const name of x.folder.staged()) fs.rmSync(x.folder.full(`.retrace/staging/${name}`));
    x.blobs.down = false;
    await expectNothingLeft();
    expect(x.blobs.content.has(hashOf(LARGE))).toBe(false);
  });

  it('that the blob store will never take are kept in staging for people', async () => {
    x.folder.put('large', LARGE);
    x.blobs.adopt = () => Promise.reject(new RetraceError('blob_too_large', 'too large'));
    await x.run(x.to.remove('large'));
    await x.idle();
    expect(x.store.records(WORKSPACE)).toEqual([]);
    await x.restart();
    const [kept, ...others] = x.folder.staged();
    expect([others, hashOf(fs.readFileSync(x.folder.full(`.retrace/staging/${kept}`)))]).toEqual([[], hashOf(LARGE)]);
  });
});

describe('new content', () => {
  it('of more than 8 MiB goes through a spool file', async () => {
    let asked = 0;
    x.blobs.get = () => {
      asked += 1;
      return Promise.reject(new Error('not whole'));
    };
    expect(await x.run(x.to.write('huge', HUGE))).toMatchObject(applied);
    expect([asked, x.folder.bytes('huge').equals(HUGE)]).toEqual([0, true]);
    await expectNothingLeft();
  });

  it('of a large edit is stored before anything names it', async () => {
    x.folder.put('a', LARGE);
    const outcome = await x.run(x.to.edit('a', [{ old_text: 'large', new_text: 'very large', all: true }]));
    if (outcome.type !== 'retrace.operation.applied.v1') throw new Error('not applied');
    const hash = outcome.data.operations[0]!.parameters.content_hash!;
    expect(x.blobs.text(hash)).toBe(x.folder.text('a'));
    expect(await x.run(x.to.edit('a', [{ old_text: 'very ', new_text: '', all: true }]))).toMatchObject(applied);
    expect(x.folder.text('a')).toBe(LARGE.toString());
  });

  it('of two large edits in one logical operation is the right one at the end', async () => {
    x.folder.put('a', LARGE);
    const edit = (from: string, to: string) => x.to.edit('a', [{ old_text: from, new_text: to, all: true }]);
    expect(await x.run(edit('large', 'L'), edit('L ', 'M'))).toMatchObject(applied);
    expect(x.folder.text('a')).toBe(LARGE.toString().replaceAll('large', 'L').replaceAll('L ', 'M'));
    await expectNothingLeft();
  });

  it('that is gone, or is not what was announced, fails the logical operation and leaves nothing', async () => {
    const absent = x.to.create('absent', 'A');
    const wrong = x.to.create('wrong', 'W');
    const huge = x.to.create('huge', HUGE);
    x.blobs.content.delete(hashOf('A'));
    x.blobs.content.set(hashOf('W'), Buffer.from('X'));
    x.blobs.content.set(hashOf(HUGE), HUGE.subarray(1));
    expect(await x.run(absent)).toMatchObject(failed({ code: 'blob_absent', path: 'absent' }));
    expect(await x.run(x.to.mkdir('d'), wrong)).toMatchObject(failed({ code: 'blob_corrupt', failed_at: 1 }));
    expect(await x.run(huge)).toMatchObject(failed({ code: 'blob_corrupt' }));
    await expectNothingLeft();
    expect(x.folder.tree()).toEqual({});
  });
});

describe('a blob store that is away', () => {
  it.each(['small', HUGE])('changes nothing; a retry works', async (content) => {
    x.folder.put('b', 'B');
    const authority = await authorize(x.log, [x.to.write('b', 'C'), x.to.create('a', content)]);
    x.blobs.down = true;
    await expect(x.start(authority)).rejects.toMatchObject({ code: 'unavailable' });
    expect([x.folder.tree(), x.folder.staged()]).toEqual([{ b: 'file 644 Qg==' }, []]);
    expect([x.store.records(WORKSPACE), x.store.positions.load(WORKSPACE)]).toEqual([[], undefined]);
    x.blobs.down = false;
    expect(await x.execute(authority)).toMatchObject(applied);
    expect(x.folder.bytes('a').equals(Buffer.from(content))).toBe(true);
  });

  it('in the middle of a large content leaves no spool behind', async () => {
    x.blobs.stream = async function* () {
      yield await Promise.resolve(HUGE.subarray(0, 1000));
      throw new RetraceError('timeout', 'no answer');
    };
    const authority = await authorize(x.log, [x.to.create('a', HUGE)]);
    await expect(x.start(authority)).rejects.toMatchObject({ code: 'timeout' });
    expect(x.folder.staged()).toEqual([]);
  });
});

it('brings a large file back through the spool', async () => {
  x.folder.put('huge', HUGE);
  await x.run(x.to.remove('huge'));
  await x.idle();
  expect(await x.restore({ path: 'huge', expect: ABSENT, restore: fileOf(HUGE) })).toMatchObject(applied);
  expect(x.folder.bytes('huge').equals(HUGE)).toBe(true);
  await expectNothingLeft();
});
