import 'reflect-metadata';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { EVENTS } from '@retrace/contracts';
import { canonicalHash } from './canonical-hash.js';
import { EVERY_EVENT } from './testing/every-event.js';
import { onEachDatabase } from './testing/on-each-database.js';
import { TemporaryModels } from './testing/temporary-models.js';
import { replayInto } from './writing/replay.js';

/** The log that holds these events. */
const logOf = (events: typeof EVERY_EVENT) => ({
  async *read() {
    yield* events;
  },
});

onEachDatabase('the canonical hash', (open) => {
  let view: TemporaryModels;

  beforeEach(async () => {
    view = await open();
  });
  afterEach(() => view.remove());

  it('is the same for a log with every event, folded live with repetitions and restarts, or replayed raw', async () => {
    expect(new Set(EVERY_EVENT.map(({ type }) => type))).toEqual(new Set(EVENTS.map(({ type }) => type)));
    await view.foldAll(EVERY_EVENT.slice(0, 20));
    await view.restart();
    await view.foldAll(EVERY_EVENT.slice(10));
    const raw = await TemporaryModels.open();
    await replayInto(raw.models, logOf(EVERY_EVENT));
    expect(await canonicalHash(view.models)).toBe(await canonicalHash(raw.models));
    await raw.remove();
  });

  it('is another one for a log that holds one event less', async () => {
    await replayInto(view.models, logOf(EVERY_EVENT));
    const whole = await canonicalHash(view.models);
    const other = await TemporaryModels.open();
    await replayInto(other.models, logOf(EVERY_EVENT.slice(0, -1)));
    expect(await canonicalHash(other.models)).not.toBe(whole);
    await other.remove();
  });
});
