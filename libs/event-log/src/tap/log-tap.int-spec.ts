import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../broker.testing.js';
import { ConsumerSource } from '../lanes/consumer-source.js';
import { LaneBed, numbered } from '../lanes/lane-bed.testing.js';
import { gate, LaneStore } from '../lanes/lane-store.testing.js';
import type { MessageSource, SourceOptions } from '../lanes/message-source.js';
import { LogTap } from './log-tap.js';
import { TapSource } from './tap-source.js';

/** Counts how often a reader had to read by a consumer of its own. */
class Counted implements MessageSource {
  opened = 0;
  constructor(private readonly source: MessageSource) {}
  open(options: SourceOptions) {
    this.opened += 1;
    return this.source.open(options);
  }
}

describe('the tap of the log', () => {
  let bed: LaneBed;
  let store: LaneStore;
  let tap: LogTap;
  let own: Counted;

  beforeAll(async () => {
    bed = await LaneBed.open();
  }, 120_000);
  beforeEach(async () => {
    store = new LaneStore();
    await bed.empty();
    own = new Counted(new ConsumerSource(bed.connection, 'RETRACE'));
  });
  afterEach(async () => {
    await bed.closeReaders();
    tap.close();
  });
  afterAll(() => bed.close());

  const read = async (limits?: { messages: number; bytes: number }, handle?: (text: string) => Promise<void>) => {
    tap = await LogTap.open(bed.connection, limits);
    const handled = handle && {
      handle: async (delivery: Parameters<LaneStore['commit']>[0]) => {
        await handle(delivery.message.string());
        store.commit(delivery);
      },
    };
    await bed.read(store, ['1'], { source: new TapSource(tap, own), ...handled });
  };

  it('is all that a reader needs that is up to date', async () => {
    await read();
    await bed.write('1', ...numbered(20));
    await eventually(() => expect(store.texts('1')).toEqual(numbered(20)));
    expect(own.opened).toBe(0);
  });

  it('is gone over to by a reader that had to read what came before', async () => {
    await bed.write('1', ...numbered(20));
    await read();
    await bed.write('1', ...numbered(20, 21));
    await eventually(() => expect(store.texts('1')).toEqual(numbered(40)));
    await bed.write('1', ...numbered(5, 41));
    await eventually(() => expect(store.texts('1')).toEqual(numbered(45)));
    expect(own.opened).toBe(1);
  });

  it('is left for a while by a reader that fell behind what it holds', async () => {
    const opened = gate();
    await read({ messages: 4, bytes: 1 << 20 }, () => opened.passed);
    await bed.write('1', ...numbered(400));
    opened.open();
    await eventually(() => expect(store.texts('1')).toEqual(numbered(400)));
    await bed.write('1', 'last');
    await eventually(() => expect(store.texts('1').at(-1)).toBe('last'));
    expect(store.texts('1')).toHaveLength(401);
    expect(own.opened).toBeGreaterThan(0);
  });
});
