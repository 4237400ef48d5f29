import { describe, expect, it } from '@jest/globals';
import type { NumberedReadModels, ReadModels, ReadModelStore } from '@retrace/read-models';
import { Generation, type LogAccess } from '../folding/generation.js';
import { LiveView } from './live-view.js';
import { Rebuild } from './rebuild.js';

const access = { onTrouble: () => undefined } as unknown as LogAccess;
const log = { lastSequence: () => Promise.resolve(0) };

/** Read models that answer one question, and what is done to them. */
const models = (number: number, done: string[], read: () => Promise<unknown>): NumberedReadModels => {
  const close = (): Promise<void> => Promise.resolve(void done.push(`close ${number}`));
  return { number, models: { read, close } as unknown as ReadModels };
};

describe('a rebuild whose new read models cannot be read', () => {
  it('closes and drops them, says why, and leaves the others alone', async () => {
    const done: string[] = [];
    const store = {
      openNext: () => Promise.resolve(models(2, done, () => Promise.reject(new Error('no such table')))),
      drop: (number: number) => Promise.resolve(void done.push(`drop ${number}`)),
    } as Partial<ReadModelStore> as ReadModelStore;
    const current = await Generation.open(
      models(1, done, () => Promise.resolve([])),
      access,
    );
    const rebuild = new Rebuild(new LiveView(current), store, access, log);
    expect(rebuild.start()).toBe(true);
    await rebuild.ended();
    expect(await rebuild.status()).toMatchObject({ status: 'failed', message: 'no such table' });
    expect(done).toEqual(['close 2', 'drop 2']);
  });
});
