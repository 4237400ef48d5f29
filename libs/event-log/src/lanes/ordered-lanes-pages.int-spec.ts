import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../broker.testing.js';
import { newId } from '../new-id.js';
import { HEARINGS, LaneBed, numbered } from './lane-bed.testing.js';
import type { LaneDelivery } from './lane-options.js';
import { LaneStore } from './lane-store.testing.js';

describe.each(HEARINGS)('ordered lanes over events in pages, heard %s', (hearing) => {
  let bed: LaneBed;
  let store: LaneStore;

  beforeAll(async () => {
    bed = await LaneBed.open(hearing);
  }, 120_000);
  beforeEach(async () => {
    store = new LaneStore();
    await bed.empty();
  });
  afterEach(() => bed.closeReaders());
  afterAll(() => bed.close());

  const expectTexts = (lane: string, texts: string[]) => eventually(() => expect(store.texts(lane)).toEqual(texts));

  it('hand one over once, whole, at the place of its last page', async () => {
    const id = newId('evt');
    await bed.write('1', 'a');
    await bed.writePages('1', id, 'x', 'y', 'z');
    await bed.write('1', 'b');
    await bed.read(store, ['1']);
    await expectTexts('1', ['a', 'x+y+z', 'b']);
    expect(store.of('1')[1]).toEqual({ sequence: 4, eventId: id, text: 'x+y+z' });
  });

  it('retry and reject one as a whole', async () => {
    const attempts: string[] = [];
    await bed.writePages('1', newId('evt'), 'x', 'y');
    await bed.write('1', 'a');
    await bed.read(store, ['1'], {
      handle: async (delivery) => {
        attempts.push(`${delivery.pages.length} ${delivery.attempt}`);
        if (attempts.length === 1) throw new Error('not yet');
        if (attempts.length === 2) throw Object.assign(new Error('never'), { code: 'lane_terminal', reason: 'bad' });
        store.commit(delivery);
      },
    });
    await expectTexts('1', ['x+y', 'a']);
    expect(attempts).toEqual(['2 1', '2 2', '1 1']);
    expect(store.rejected.map(({ position, reason }) => [position.sequence, reason])).toEqual([[2, 'bad']]);
  });

  it('give nothing of one to a reader that stands between its pages', async () => {
    const id = newId('evt');
    await bed.writePages('1', id, 'x', 'y', 'z');
    await bed.write('1', 'a');
    store.of('1').push({ sequence: 1, eventId: id, text: 'from elsewhere' });
    await bed.read(store, ['1']);
    await expectTexts('1', ['from elsewhere', 'a']);
    expect(store.load('1')?.sequence).toBe(4);
  });

  it('pass by pages whose rest the broker lost, and take the event when it is written again', async () => {
    const torn = newId('evt');
    await bed.writePage('1', torn, '1/3', 'x');
    await bed.writePage('1', torn, '2/3', 'y');
    await bed.read(store, ['1', '2']);
    await bed.write('1', 'a');
    await bed.writePages('1', torn, 'x', 'y', 'z');
    await bed.writePage('1', newId('evt'), '2/2', 'no beginning');
    await bed.write('1', 'b');
    await expectTexts('1', ['a', 'x+y+z', 'b']);
  });

  it('keep one together while reading begins anew between its pages', async () => {
    const id = newId('evt');
    const reader = await bed.read(store, ['1']);
    await bed.writePage('1', id, '1/3', 'x');
    await bed.writePage('1', id, '2/3', 'y');
    await bed.write('2', 'seen later');
    reader.addLane('2');
    await expectTexts('2', ['seen later']);
    await bed.writePage('1', id, '3/3', 'z');
    await expectTexts('1', ['x+y+z']);
  });

  it('lose nothing of a lane that overflows within one, and need no room for more than one', async () => {
    let stuck = true;
    const ids = numbered(6).map(() => newId('evt'));
    const reader = await bed.read(store, ['1', '2'], {
      bufferBytes: 3_000,
      handle: async (delivery: LaneDelivery) => {
        if (stuck && delivery.lane === '1') throw new Error('stuck');
        store.commit(delivery);
      },
    });
    const pages = numbered(5).map((text) => text.repeat(1_000));
    for (const id of ids) await bed.writePages('1', id, ...pages);
    await bed.write('2', ...numbered(20));
    await expectTexts('2', numbered(20));
    // One event, although it is larger than the buffer, and no page of the next one.
    expect(reader).toHaveProperty('bytes', 5_000);
    stuck = false;
    await expectTexts(
      '1',
      ids.map(() => pages.join('+')),
    );
    expect(store.of('1').map(({ sequence }) => sequence)).toEqual([5, 10, 15, 20, 25, 30]);
  });

  it('go on behind one, nothing twice and nothing missed', async () => {
    for (let round = 1; round <= 3; round++) {
      await bed.writePages('1', newId('evt'), ...numbered(4));
      const reader = await bed.read(store, ['1']);
      await eventually(() => expect(store.of('1')).toHaveLength(round));
      await reader.close();
    }
    expect(store.texts('1')).toEqual(Array(3).fill('1+2+3+4'));
    expect(store.rewinds).toEqual([]);
  });
});
