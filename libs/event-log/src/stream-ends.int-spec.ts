import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LaneBed } from './lanes/lane-bed.testing.js';
import { newId } from './new-id.js';
import { StreamEnds } from './stream-ends.js';

describe('the ends of a stream', () => {
  let bed: LaneBed;
  let ends: StreamEnds;

  beforeAll(async () => {
    bed = await LaneBed.open();
    ends = await StreamEnds.open(bed.connection);
  }, 120_000);
  beforeEach(() => bed.empty());
  afterAll(() => bed.close());

  it('are 0 where nothing stands', async () => {
    expect([await ends.last(), await ends.newestUnder('retrace.event.1.>')]).toEqual([0, 0]);
  });

  it('count whole events under a filter, and every message in all', async () => {
    await bed.write('1', 'a');
    await bed.writePage('1', newId('evt'), '1/2', 'torn');
    expect([await ends.last(), await ends.newestUnder('retrace.event.1.>')]).toEqual([2, 1]);
  });

  it('know whether an event stands where it stood', async () => {
    const event = newId('evt');
    await bed.writePages('1', event, 'x', 'y');
    expect(await ends.stands({ sequence: 2, eventId: event })).toBe(true);
    expect(await ends.stands({ sequence: 2, eventId: newId('evt') })).toBe(false);
    expect(await ends.stands({ sequence: 3, eventId: event })).toBe(false);
    expect(await ends.stands({ sequence: 0, eventId: event })).toBe(false);
  });
});
