import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Limiter } from './limiter.js';

describe('Limiter', () => {
  it('runs no more than its limit at once, all in order, past failures', async () => {
    const limiter = new Limiter(2);
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    const task = (id: number) => async () => {
      begun.push(id);
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      running -= 1;
      if (id % 3 === 0) throw new Error(`task ${id}`);
    };
    const ids = [0, 1, 2, 3, 4, 5, 6, 7];
    const results = await Promise.allSettled(ids.map((id) => limiter.run(task(id))));
    expect(begun).toEqual(ids);
    expect(most).toBe(2);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(3);
  });
});
