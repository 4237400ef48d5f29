import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { LaneBed, numbered } from './lanes/lane-bed.testing.js';
import { newId } from './new-id.js';
import { newestWhole } from './newest-whole.js';

describe('the newest whole event under a filter', () => {
  let bed: LaneBed;
  let jsm: JetStreamManager;

  beforeAll(async () => {
    bed = await LaneBed.open();
    jsm = await jetstreamManager(bed.connection);
  }, 120_000);
  beforeEach(() => bed.empty());
  afterAll(() => bed.close());

  const newest = (lane: string) => newestWhole(jsm, 'RETRACE', `retrace.event.${lane}.>`);

  it('is none where nothing stands', async () => {
    await bed.write('1', 'a');
    expect(await newest('2')).toBeUndefined();
  });

  it('is at the last page of an event in pages', async () => {
    await bed.write('1', 'a');
    await bed.writePages('1', newId('evt'), 'x', 'y', 'z');
    await bed.write('2', 'b');
    expect([await newest('1'), await newest('2')]).toEqual([4, 5]);
  });

  it('is before pages whose rest the broker lost, however far', async () => {
    await bed.write('1', ...numbered(7));
    await bed.write('2', ...numbered(23));
    const torn = newId('evt');
    await bed.writePage('1', torn, '1/3', 'x');
    await bed.writePage('1', torn, '2/3', 'y');
    expect(await newest('1')).toBe(7);
    await bed.writePage('1', newId('evt'), '1/2', 'torn as well');
    expect(await newest('1')).toBe(7);
    expect(await newest('2')).toBe(30);
  });

  it('is none where torn pages are all there is', async () => {
    await bed.write('2', 'a');
    await bed.writePage('1', newId('evt'), '1/2', 'x');
    expect(await newest('1')).toBeUndefined();
  });
});
