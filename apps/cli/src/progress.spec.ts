import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { Progress } from './progress.js';

describe('progress', () => {
  const spinners = () => {
    const made: { text: string; stop: jest.Mock }[] = [];
    const start = (text: string) => {
      const spinner = { text, stop: jest.fn() };
      made.push(spinner);
      return Promise.resolve(spinner);
    };
    return { made, start };
  };

  it('is shown where somebody watches and it takes long, and is cleared at the end', async () => {
    const { made, start } = spinners();
    const progress = new Progress({ stderrIsTty: true, env: {} }, 'working', start, 1);
    while (made.length === 0) await sleep(2);
    await sleep(0);
    progress.update('still working');
    expect(made[0]!.text).toBe('still working');
    progress.stop();
    expect(made[0]!.stop).toHaveBeenCalledTimes(1);
  });

  it('is not shown to nobody, nor of what is over by then', async () => {
    const { made, start } = spinners();
    const unseen = new Progress({ stderrIsTty: false, env: {} }, 'working', start, 0);
    new Progress({ stderrIsTty: true, env: {} }, 'working', start, 5).stop();
    await sleep(30);
    expect(made).toEqual([]);
    unseen.stop();
  });

  it('that was stopped while it was made does not stay', async () => {
    const stop = jest.fn();
    const { promise, resolve } = deferred<{ text: string; stop: typeof stop }>();
    const start = jest.fn(() => promise);
    const progress = new Progress({ stderrIsTty: true, env: {} }, 'working', start, 1);
    while (start.mock.calls.length === 0) await sleep(2);
    progress.stop();
    resolve({ text: '', stop });
    await sleep(0);
    expect(stop).toHaveBeenCalledTimes(1);
  });
});

function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
