import { describe, expect, it } from '@jest/globals';
import { askUntil } from './ask-until.js';

const patience = (deadlineMs: number, signal = new AbortController().signal) => ({
  deadline: performance.now() + deadlineMs,
  retryMs: 1,
  signals: [new AbortController().signal, signal],
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

  it('ends with the signal, in the middle of a call', async () => {
    const stop = new AbortController();
    const answer = askUntil(() => new Promise(() => undefined), patience(60_000, stop.signal));
    stop.abort();
    await expect(answer).resolves.toBe('unavailable');
  });
});
