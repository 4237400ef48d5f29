import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../broker.testing.js';
import { HEARINGS, LaneBed, numbered } from './lane-bed.testing.js';
import type { LaneDelivery } from './lane-options.js';
import { gate, LaneStore } from './lane-store.testing.js';
import { TerminalError } from './terminal-error.js';

describe.each(HEARINGS)('ordered lanes, heard %s', (hearing) => {
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

  it('hand every message over once and in order per lane, whatever fails', async () => {
    let open = 0;
    const handle = async (delivery: LaneDelivery): Promise<void> => {
      open += 1;
      await new Promise(setImmediate);
      open -= 1;
      if (Math.random() < 0.3) throw new Error('now and then');
      store.commit(delivery);
    };
    await bed.write('1', ...numbered(50));
    await bed.read(store, ['1', '2', '3'], { handle });
    await Promise.all(['1', '2', '3'].map((lane) => bed.write(lane, ...numbered(100, 51))));
    await expectTexts('1', numbered(150));
    await expectTexts('2', numbered(100, 51));
    await expectTexts('3', numbered(100, 51));
    expect(open).toBe(0);
  });

  it('retry a message in place, and count the attempts', async () => {
    const attempts: [string, number][] = [];
    await bed.write('1', 'a', 'b');
    await bed.read(store, ['1'], {
      handle: async (delivery) => {
        attempts.push([delivery.message.string(), delivery.attempt]);
        if (attempts.length < 4) throw new Error('not yet');
        store.commit(delivery);
      },
    });
    await expectTexts('1', ['a', 'b']);
    expect(attempts).toEqual([
      ['a', 1],
      ['a', 2],
      ['a', 3],
      ['a', 4],
      ['b', 1],
    ]);
  });

  it('reject what no retry can help once, with its position, and go on', async () => {
    const tries: number[] = [];
    await bed.write('1', 'a', 'poison', 'b');
    await bed.read(store, ['1'], {
      handle: async (delivery) => {
        if (delivery.message.string() === 'poison') throw new TerminalError('bad_json', 'no JSON');
        store.commit(delivery);
      },
      onRejected: async (delivery, reason) => {
        tries.push(delivery.attempt);
        if (tries.length < 3) throw new TerminalError('even the rejection fails');
        store.reject(delivery, reason);
      },
    });
    await expectTexts('1', ['a', 'poison', 'b']);
    const { sequence, eventId } = store.of('1')[1]!;
    expect(store.rejected).toEqual([{ lane: '1', position: { sequence, eventId }, reason: 'bad_json' }]);
    expect({ sequence, tries }).toEqual({ sequence: 2, tries: [1, 2, 3] });
  });

  it('go on beside a lane that is stuck, and lose nothing of it', async () => {
    let stuck = true;
    await bed.read(store, ['1', '2'], {
      laneBuffer: 8,
      handle: async (delivery) => {
        if (stuck && delivery.lane === '1') throw new Error('stuck');
        store.commit(delivery);
      },
    });
    await bed.write('1', ...numbered(50));
    await bed.write('2', ...numbered(50));
    await expectTexts('2', numbered(50));
    expect(store.texts('1')).toEqual([]);
    stuck = false;
    await expectTexts('1', numbered(50));
    expect(store.texts('2')).toEqual(numbered(50));
  });

  it('lose no place in a lane that overflowed and moves again while more comes', async () => {
    const steps = [gate(), gate()];
    await bed.read(store, ['1', '2'], {
      laneBuffer: 4,
      handle: async (delivery) => {
        if (delivery.lane === '1') await steps[delivery.message.string() === '1' ? 0 : 1]!.passed;
        store.commit(delivery);
      },
    });
    await bed.write('1', ...numbered(20));
    await bed.write('2', 'passed by 20');
    await expectTexts('2', ['passed by 20']);
    steps[0]!.open();
    await expectTexts('1', ['1']);
    // There is room now, but 5 to 20 were passed over.
    await bed.write('1', '21');
    await bed.write('2', 'passed by 21');
    await expectTexts('2', ['passed by 20', 'passed by 21']);
    steps[1]!.open();
    await expectTexts('1', numbered(21));
  });

  it('go on beside a lane that hangs without failing', async () => {
    const hanging = gate();
    await bed.read(store, ['1', '2'], {
      laneBuffer: 8,
      handle: async (delivery) => {
        if (delivery.lane === '1') await hanging.passed;
        store.commit(delivery);
      },
    });
    await bed.write('1', ...numbered(30));
    await bed.write('2', ...numbered(30));
    await expectTexts('2', numbered(30));
    hanging.open();
    await expectTexts('1', numbered(30));
  });

  it('rest while all of them are stuck, and begin again when one moves', async () => {
    let stuck = true;
    await bed.write('1', ...numbered(40));
    await bed.write('2', ...numbered(40));
    await bed.read(store, ['1', '2'], {
      laneBuffer: 4,
      handle: async (delivery) => {
        if (stuck) throw new Error('stuck');
        store.commit(delivery);
      },
    });
    await eventually(() => expect(bed.troubles.length).toBeGreaterThan(20));
    stuck = false;
    await expectTexts('1', numbered(40));
    await expectTexts('2', numbered(40));
  });

  it('hold back by bytes too', async () => {
    await bed.write('1', ...numbered(20, 1, 'x'.repeat(1000)));
    await bed.read(store, ['1', '2'], { bufferBytes: 1500 });
    await bed.write('2', ...numbered(5));
    await expectTexts('1', numbered(20, 1, 'x'.repeat(1000)));
    await expectTexts('2', numbered(5));
  });

  it('go on where their store stands: nothing twice, nothing missed', async () => {
    for (let round = 0; round < 5; round++) {
      await bed.write('1', ...numbered(20, round * 20 + 1));
      await bed.write('2', ...numbered(3, round * 3 + 1));
      const reader = await bed.read(store, ['1', '2']);
      await eventually(() => expect(store.texts('1').length).toBeGreaterThan(round * 20 + 7));
      await reader.close();
    }
    await bed.read(store, ['1', '2']);
    await expectTexts('1', numbered(100));
    await expectTexts('2', numbered(15));
    expect(store.rewinds).toEqual([]);
  });

  it('pass by what belongs to none of them', async () => {
    await bed.write('9', 'foreign');
    await bed.read(store, ['1']);
    await bed.write('9', 'foreign');
    await bed.write('1', 'a');
    await expectTexts('1', ['a']);
    expect([...store.handled.keys()]).toEqual(['1']);
  });

  it('take a lane in at run time, from its position', async () => {
    await bed.write('1', 'a');
    await bed.write('2', 'a', 'b', 'c');
    const before = await bed.read(store, ['2'], {
      handle: async (delivery) => {
        if (delivery.message.string() === 'c') throw new Error('not in this run');
        store.commit(delivery);
      },
    });
    await expectTexts('2', ['a', 'b']);
    await before.close();

    const reader = await bed.read(store, ['1']);
    await expectTexts('1', ['a']);
    reader.addLane('2');
    reader.addLane('2');
    reader.addLane('3');
    await bed.write('1', 'b');
    await bed.write('3', 'x');
    await expectTexts('2', ['a', 'b', 'c']);
    await expectTexts('1', ['a', 'b']);
    await expectTexts('3', ['x']);
  });

  it('take a lane in from its position, also while another still finishes', async () => {
    await bed.write('2', 'a', 'b');
    const before = await bed.read(store, ['2']);
    await expectTexts('2', ['a', 'b']);
    await before.close();

    const slow = gate();
    await bed.write('1', 'a');
    const reader = await bed.read(store, ['1'], {
      handle: async (delivery) => {
        if (delivery.lane === '1') await slow.passed;
        store.commit(delivery);
      },
    });
    await eventually(() => expect(reader).toHaveProperty('bytes', 1));
    reader.addLane('3');
    // The reader waits for lane 1 now before it looks at positions.
    await new Promise((resolve) => setTimeout(resolve, 50));
    reader.addLane('2');
    slow.open();
    await bed.write('2', 'c');
    await expectTexts('2', ['a', 'b', 'c']);
    await expectTexts('1', ['a']);
  });

  it('begin without any lane, and take the first one in', async () => {
    const reader = await bed.read(store, []);
    await bed.write('1', 'a');
    reader.addLane('1');
    await expectTexts('1', ['a']);
  });

  it('close when the handler that runs has ended, and start no other', async () => {
    const running = gate();
    let started = 0;
    const reader = await bed.read(store, ['1'], {
      handle: async (delivery) => {
        started += 1;
        await running.passed;
        store.commit(delivery);
      },
    });
    await bed.write('1', ...numbered(10));
    await eventually(() => expect(started).toBe(1));
    let closed = false;
    const closing = reader.close().finally(() => {
      closed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(closed).toBe(false);
    running.open();
    await closing;
    expect(store.texts('1')).toEqual(['1']);
    expect(started).toBe(1);
  });

  it('close while a message is being retried, and tell the handler', async () => {
    let signal: AbortSignal | undefined;
    const reader = await bed.read(store, ['1'], {
      backoff: { firstMs: 60_000, maxMs: 60_000 },
      handle: async (delivery) => {
        signal = delivery.signal;
        throw new Error('never');
      },
    });
    await bed.write('1', 'a');
    await eventually(() => expect(signal).toBeDefined());
    await reader.close();
    expect(signal?.aborted).toBe(true);
  });

  it('close right after the start, at any moment of it', async () => {
    for (let turns = 0; turns < 25; turns++) {
      const reader = await bed.read(store, ['1']);
      for (let i = 0; i < turns; i++) await new Promise(setImmediate);
      await reader.close();
    }
    await bed.write('1', 'a');
    expect(store.texts('1')).toEqual([]);
  });

  it('fail the start loudly when positions cannot be verified', async () => {
    await bed.write('1', 'a');
    await expect(bed.read(store, ['1'], { stream: 'NONE' })).rejects.toThrow('stream not found');
  });
});
