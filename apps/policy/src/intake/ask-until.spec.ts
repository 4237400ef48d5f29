import { describe, expect, it } from '@jest/globals';
import { askUntil } from './ask-until.js';
import { Ending, endingOf } from './ending.js';

const patience = (deadlineMs: number, ending = new Ending()) => ({
  deadline: performance.now() + deadlineMs,
  retryMs: 1,
  endings: [new Ending(), ending],
});

describe('askUntil', () => {
  it('asks again until there is an answer', async () => {
    let asked = 0;
    const ask = (): Promise<string> => (++asked < 3 ? Promise.reject(new Error('nobody')) : Promise.resolve('yes'));
    await expect(askUntil(ask, patience(60_000))).resolves.toBe('yes');
    expect(asked).toBe(3);
  });

  it('asks once even when the time is over', async () => {
    await expect(askUntil(() => Promise.resolve('yes'), patience(-1))).resolves.toBe('yes');
    await expect(askUntil(() => Promise.reject(new Error('nobody')), patience(-1))).resolves.toBe('unavailable');
  });

  it('gives up on a call that hangs', async () => {
    await expect(askUntil(() => new Promise(() => undefined), patience(5))).resolves.toBe('unavailable');
  });

  it('ends in the middle of a call, and between two, when waiting is over', async () => {
    for (const ask of [() => new Promise(() => undefined), () => Promise.reject(new Error('nobody'))]) {
      const ending = new Ending();
      const answer = askUntil(ask, { ...patience(60_000, ending), retryMs: 60_000 });
      await new Promise((resolve) => setImmediate(resolve));
      ending.end();
      await expect(answer).resolves.toBe('unavailable');
    }
  });

  it('does not begin where waiting is over', async () => {
    const stop = new AbortController();
    const ending = endingOf(stop.signal);
    stop.abort();
    let asked = 0;
    await expect(askUntil(() => Promise.resolve(++asked), patience(60_000, ending))).resolves.toBe('unavailable');
    expect([asked, endingOf(stop.signal).isOver]).toEqual([0, true]);
  });
});
