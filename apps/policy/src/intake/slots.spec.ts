import { beforeEach, describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  let slots: Slots;
  let ended: AbortController;
  beforeEach(() => {
    slots = new Slots(3, 2);
    ended = new AbortController();
  });
  const take = (sender: string) => slots.take(sender, ended.signal);
  const isPending = async (work: Promise<unknown>): Promise<boolean> => {
    let pending = true;
    void work.then(() => (pending = false));
    await moment();
    return pending;
  };

  it('keep a sender to its share while others take theirs', async () => {
    const first = await take('a');
    await take('a');
    const third = take('a');
    expect(await isPending(third)).toBe(true);
    expect(await isPending(take('b'))).toBe(false);
    first?.();
    expect(await isPending(third)).toBe(false);
  });

  it('are no more than there are', async () => {
    await take('a');
    await take('b');
    const one = await take('c');
    const waits = [take('d'), take('e')];
    expect(await isPending(Promise.race(waits))).toBe(true);
    one?.();
    await moment();
    expect(await Promise.all(waits.map(isPending))).toEqual([false, true]);
  });

  it('are waited for until the signal comes', async () => {
    await take('a');
    await take('a');
    const third = take('a');
    ended.abort();
    expect(await third).toBeUndefined();
  });
});
