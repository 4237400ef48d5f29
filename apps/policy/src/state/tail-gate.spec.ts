import { describe, expect, it } from '@jest/globals';
import { TailGate } from './tail-gate.js';

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Execution, which answers as the spec says. */
const gateOver = (giveUpMs = 60_000) => {
  const answers: ((well: boolean) => void)[] = [];
  const tails = {
    whole: () =>
      new Promise<void>((resolve, reject) =>
        answers.push((well) => (well ? resolve() : reject(new Error('not_ready')))),
      ),
  };
  const opened: string[] = [];
  const stop = new AbortController();
  const gate = new TailGate(tails, { giveUpMs, retryMs: 1 }, () => opened.push('opened'), stop.signal);
  return { gate, answers, opened, stop };
};

describe('the gate before a log that may have lost its tail', () => {
  it('opens when execution says that it is whole, asked once for all who wait', async () => {
    const { gate, answers, opened } = gateOver();
    const waiting = [gate.whole(), gate.whole()];
    answers[0]!(true);
    expect([await waiting[0], await waiting[1]]).toEqual([true, true]);
    expect([answers.length, opened.length, gate.whole()]).toEqual([1, 1, true]);
  });

  it('asks again, and lets those who wait go after a while', async () => {
    const { gate, answers } = gateOver(0);
    const waiting = gate.whole();
    answers[0]!(false);
    await new Promise((resolve) => setTimeout(resolve, 5));
    answers[1]?.(false);
    expect(await waiting).toBe(false);
    const later = gate.whole();
    answers.at(-1)!(true);
    expect(await later).toBe(true);
  });

  it('takes no answer of before the connection was lost', async () => {
    const { gate, answers, opened } = gateOver();
    const waiting = gate.whole();
    gate.lost();
    answers[0]!(true);
    await moment();
    expect([answers.length, opened.length]).toEqual([2, 0]);
    answers[1]!(true);
    expect(await waiting).toBe(true);
    gate.lost();
    expect(gate.whole()).not.toBe(true);
  });

  it('ends with the service', async () => {
    const { gate, answers, stop } = gateOver();
    const waiting = gate.whole();
    stop.abort(new Error('stopping'));
    answers[0]!(false);
    await expect(waiting).rejects.toThrow('aborted');
  });
});
