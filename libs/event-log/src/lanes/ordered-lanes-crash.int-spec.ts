import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { eventually } from '../broker.testing.js';
import { HEARINGS, LaneBed, numbered } from './lane-bed.testing.js';
import type { LaneDelivery } from './lane-options.js';
import { gate, LaneStore } from './lane-store.testing.js';

jest.setTimeout(60_000);

describe.each(HEARINGS)('ordered lanes over a broker that dies, heard %s', (hearing) => {
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
  /** What the log holds of a lane, as a reader from its beginning sees it. */
  const logOf = async (lane: string) => {
    const fresh = new LaneStore();
    const reader = await bed.read(fresh, [lane]);
    await eventually(() => expect(fresh.texts(lane)).toHaveLength(store.texts(lane).length));
    await reader.close();
    return fresh.of(lane);
  };
  const keepStore = () => bed.crash(() => bed.broker.keepStore());
  const putBackStore = () => bed.crash(() => bed.broker.putBackStore());

  it('go on after it came back, nothing twice, nothing missed', async () => {
    await bed.write('1', ...numbered(20));
    await bed.read(store, ['1', '2']);
    await expectTexts('1', numbered(20));
    await bed.crash();
    await bed.write('1', ...numbered(20, 21));
    await bed.write('2', 'a');
    await expectTexts('1', numbered(40));
    await expectTexts('2', ['a']);
    expect(store.rewinds).toEqual([]);
  });

  it('deliver again what a handler had not finished, after it has ended', async () => {
    const first = gate();
    const seen: string[] = [];
    await bed.write('1', 'a', 'b');
    await bed.read(store, ['1'], {
      handle: async (delivery) => {
        seen.push(`${delivery.message.string()} ${delivery.signal.aborted ? 'aborted' : ''}`.trim());
        if (seen.length === 1) {
          await first.passed;
          throw new Error(delivery.signal.aborted ? 'aborted' : 'not aborted');
        }
        store.commit(delivery);
      },
    });
    await eventually(() => expect(seen).toEqual(['a']));
    await bed.crash();
    expect(store.texts('1')).toEqual([]);
    first.open();
    await expectTexts('1', ['a', 'b']);
    expect(seen).toEqual(['a', 'a', 'b']);
  });

  it('do not double what a handler committed while the connection was gone', async () => {
    const first = gate();
    let handled = 0;
    await bed.write('1', 'a', 'b');
    await bed.read(store, ['1'], {
      handle: async (delivery) => {
        if (handled++ === 0) await first.passed;
        store.commit(delivery);
      },
    });
    await eventually(() => expect(handled).toBe(1));
    await bed.crash();
    first.open();
    await expectTexts('1', ['a', 'b']);
    expect(handled).toBe(2);
  });

  it('go back to the last matching position when an older store comes back under them', async () => {
    await bed.write('1', ...numbered(10));
    await bed.write('2', ...numbered(5));
    await bed.write('3', 'old');
    await bed.read(store, ['1', '2', '3']);
    await expectTexts('1', numbered(10));
    await expectTexts('2', numbered(5));
    await expectTexts('3', ['old']);
    await keepStore();
    await bed.write('1', ...numbered(10, 11, 'lost-'));
    await bed.write('2', 'lost');
    await expectTexts('1', [...numbered(10), ...numbered(10, 11, 'lost-')]);
    await expectTexts('2', [...numbered(5), 'lost']);

    await putBackStore();
    // The lost sequences are given out again, to other events.
    await bed.write('1', ...numbered(30, 11, 'new-'));
    await expectTexts('1', [...numbered(10), ...numbered(30, 11, 'new-')]);
    await expectTexts('2', numbered(5));
    expect(store.texts('3')).toEqual(['old']);
    // The trail has every third position: 10 is in it, and 4 of the five.
    expect(store.rewinds.toSorted((a, b) => a.lane.localeCompare(b.lane))).toEqual([
      { lane: '1', to: 10 },
      { lane: '2', to: 14 },
    ]);
    expect(await logOf('1')).toEqual(store.of('1'));
  });

  it('go back at their start, when an older store came back while nobody read', async () => {
    await bed.write('1', ...numbered(4));
    await keepStore();
    await bed.write('1', ...numbered(8, 5, 'lost-'));
    const before = await bed.read(store, ['1']);
    await expectTexts('1', [...numbered(4), ...numbered(8, 5, 'lost-')]);
    await before.close();
    await putBackStore();
    // As many events as were lost: the position names a sequence that exists, with another event on it.
    await bed.write('1', ...numbered(8, 5, 'new-'));

    await bed.read(store, ['1']);
    await expectTexts('1', [...numbered(4), ...numbered(8, 5, 'new-')]);
    expect(store.rewinds).toEqual([{ lane: '1', to: 4 }]);
  });

  it('begin anew when nothing of what a lane saw is there any more', async () => {
    await keepStore();
    await bed.write('1', 'lost');
    await bed.read(store, ['1']);
    await expectTexts('1', ['lost']);
    await putBackStore();
    await bed.write('1', 'new');
    await expectTexts('1', ['new']);
    expect(store.rewinds).toEqual([{ lane: '1', to: undefined }]);
  });

  it('wait for a running handler before they look at a restored store', async () => {
    const late = gate();
    await bed.write('1', 'a');
    await keepStore();
    await bed.write('1', 'lost');
    await bed.read(store, ['1'], {
      handle: async (delivery) => {
        if (delivery.message.string() === 'lost') await late.passed;
        store.commit(delivery);
      },
    });
    await expectTexts('1', ['a']);
    await putBackStore();
    await bed.write('1', 'new');
    // Only now is the position of the lost event committed.
    late.open();
    await expectTexts('1', ['a', 'new']);
    expect(store.rewinds).toEqual([{ lane: '1', to: 1 }]);
  });

  it('stop, loudly, rather than read on from a store that did not go back', async () => {
    await bed.write('1', 'a');
    await keepStore();
    await bed.write('1', 'lost');
    const before = await bed.read(store, ['1']);
    await expectTexts('1', ['a', 'lost']);
    await before.close();
    await putBackStore();
    const onRewind = () => Promise.resolve();
    await expect(bed.read(store, ['1'], { onRewind })).rejects.toThrow('onRewind left lane 1 at 2');
  });

  it('read a stream that loses what was answered from its first message, again after each reconnect', async () => {
    const seen: string[] = [];
    const answered = new Set<string>();
    const js = jetstream(bed.connection);
    const door = {
      stream: 'RETRACE_IN',
      filters: ['retrace.intent.>'],
      filterOf: (lane: string) => `retrace.intent.${lane}.>`,
      verify: false,
      handle: async ({ message }: LaneDelivery) => {
        seen.push(message.string());
        answered.add(message.string());
      },
    };
    for (const text of ['a', 'b', 'c']) await js.publish('retrace.intent.1.x', text);
    await bed.read(store, ['1'], door);
    await eventually(() => expect(seen).toEqual(['a', 'b', 'c']));
    const jsm = await jetstreamManager(bed.connection);
    await jsm.streams.purge('RETRACE_IN', { seq: 3 });
    await bed.crash();
    await js.publish('retrace.intent.1.x', 'd');
    await eventually(() => expect(seen).toEqual(['a', 'b', 'c', 'c', 'd']));
    expect(answered).toEqual(new Set(['a', 'b', 'c', 'd']));
  });
});
