import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryEventLog } from '@retrace/event-log/testing';
import type { Authority } from '../domain/authority.js';
import { OutcomePublisher } from '../publishing/outcome-publisher.js';
import { authorize, WORKSPACE } from '../testing/authorities.js';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { fileOf } from '../testing/requests.js';
import { UnreliableLog } from '../testing/unreliable-log.js';

let log: UnreliableLog;
let x: ExecutionFixture;
beforeEach(() => {
  log = new UnreliableLog(new MemoryEventLog());
  x = new ExecutionFixture(log);
});
afterEach(async () => {
  log.mode = 'well';
  await x.dispose();
});

const applied = { type: 'retrace.operation.applied.v1' };
const types = async () => (await x.outcomes()).map(({ type }) => type.split('.')[2]);

describe('a log', () => {
  it('that loses its answer is searched before anything is published again', async () => {
    const authority = await authorize(log, [x.to.create('a', 'A')]);
    const before = log.appends;
    log.mode = 'loses answers';
    expect(await x.execute(authority)).toMatchObject(applied);
    expect([log.appends - before, await types()]).toEqual([1, ['applied']]);
    expect(x.executor.recorded('a')).toMatchObject({ sequence: 2, state: fileOf('A') });
  });

  it('that refuses is asked again, in the same order', async () => {
    const first = await authorize(log, [x.to.create('a', 'A')]);
    const second = await authorize(log, [x.to.create('b', 'B')]);
    log.mode = 'refuses';
    await x.start(first);
    await x.start(second);
    log.mode = 'well';
    await x.idle();
    expect((await x.outcomes()).map(({ causationid }) => causationid)).toEqual([first.eventId, second.eventId]);
  });

  it('that is away at the end gets the outcome from the next process', async () => {
    x.folder.put('b', 'B');
    const authorities = [await authorize(log, [x.to.create('a', 'A')]), await authorize(log, [x.to.create('b', 'C')])];
    log.mode = 'away';
    for (const authority of authorities) await x.start(authority);
    await x.restart(20);
    expect([await x.outcomes(), x.store.records(WORKSPACE).length]).toEqual([[], 2]);
    log.mode = 'well';
    await x.idle();
    expect(await types()).toEqual(['applied', 'failed']);
    expect(x.executor.recorded('a')).toMatchObject({ state: fileOf('A') });
  });

  it('that has the outcome already does not get it twice from the next process', async () => {
    const authority = await authorize(log, [x.to.create('a', 'A')]);
    log.mode = 'goes away';
    await x.start(authority);
    await x.restart(20);
    expect([x.store.records(WORKSPACE).length, await types()]).toEqual([1, ['applied']]);
    log.mode = 'well';
    await x.idle();
    expect(await types()).toEqual(['applied']);
  });

  it('that is away does not make memory grow without bound', async () => {
    log.mode = 'away';
    const publisher = new OutcomePublisher(x.executor.workspace, x.store, log, x.blobs);
    const [outcome] = await outcomeOf();
    for (let sequence = 100; sequence < 600; sequence++)
      publisher.enqueue({ ...outcome!, sequence, eventId: `${sequence}` });
    const noPatience = AbortSignal.timeout(20);
    await expect(publisher.room(noPatience)).rejects.toMatchObject({ name: 'AbortError' });
    const room = publisher.room();
    log.mode = 'well';
    await room;
    await publisher.close();
  });

  /** The record of an outcome that waits for the log. */
  async function outcomeOf() {
    log.mode = 'well';
    const authority = await authorize(log, [x.to.create('a', 'A')]);
    log.mode = 'away';
    await x.start(authority);
    const records = x.store.records(WORKSPACE);
    return records.flatMap((record) => (record.phase === 'done' ? [record] : []));
  }
});

describe('a store that cannot be written', () => {
  const failing = (method: 'prepare' | 'finish', times: number): void => {
    const { store } = x;
    const works = store[method].bind(store) as (...given: unknown[]) => Promise<void>;
    let left = times;
    store[method] = (...given: unknown[]): Promise<void> => {
      if (left-- > 0) throw new Error('the disk is full');
      return works(...given);
    };
  };

  /** As a lane does. */
  async function insist(authority: Authority): Promise<void> {
    for (let tries = 0; tries < 10; tries++)
      try {
        return await x.start(authority);
      } catch {
        // again
      }
  }

  it('before anything is touched changes nothing; a retry works', async () => {
    x.folder.put('a', 'A');
    const authority = await authorize(log, [x.to.write('a', 'B')]);
    failing('prepare', 1);
    await expect(x.start(authority)).rejects.toThrow('the disk is full');
    expect([x.folder.text('a'), x.folder.staged()]).toEqual(['A', []]);
    expect(await x.execute(authority)).toMatchObject(applied);
    expect(x.folder.text('a')).toBe('B');
  });

  it.each([1, 2, 5])(
    'after all was applied, %i times: it is told once, and nothing else happens before',
    async (times) => {
      x.folder.put('a', '0');
      const first = await authorize(log, [x.to.write('a', '1')]);
      const second = await authorize(log, [x.to.write('a', '2')]);
      failing('finish', times);
      for (const authority of [first, second]) await insist(authority);
      await x.idle();
      expect(await types()).toEqual(['applied', 'applied']);
      expect(x.folder.text('a')).toBe('2');
      expect((await x.outcomes())[1]).toMatchObject({
        data: { operations: [{ state_snapshot_before: { state: fileOf('1'), sequence: expect.any(Number) } }] },
      });
    },
  );

  it.each([1, 3])('after all was taken back, %i times: it is told once, with its reason', async (times) => {
    x.folder.put('a', 'A');
    x.folder.put('b', 'B');
    const authority = await authorize(log, [x.to.write('a', '1'), x.to.remove('b')]);
    const writer = fs.openSync(x.folder.full('b'), 'r+');
    failing('finish', times);
    await insist(authority);
    fs.closeSync(writer);
    await x.idle();
    expect(await x.outcomes()).toMatchObject([{ data: { code: 'writer_active', failed_at: 1 } }]);
    expect(x.folder.tree()).toEqual({ a: 'file 644 QQ==', b: 'file 644 Qg==' });
  });

  it('is made good by the next process', async () => {
    x.folder.put('a', 'A');
    const authority = await authorize(log, [x.to.write('a', 'B'), x.to.create('c', 'C')]);
    failing('finish', 100);
    await expect(x.start(authority)).rejects.toThrow('the disk is full');
    await x.restart();
    await x.idle();
    expect(await types()).toEqual(['applied']);
    expect(x.folder.tree()).toEqual({ a: 'file 644 Qg==', c: 'file 644 Qw==' });
  });
});
