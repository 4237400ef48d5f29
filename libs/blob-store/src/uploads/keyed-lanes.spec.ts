import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { KeyedLanes } from './keyed-lanes.js';

describe('KeyedLanes', () => {
  it('keeps tasks of one key apart, also those that come as another ends', async () => {
    const lanes = new KeyedLanes();
    let running = 0;
    let overlaps = 0;
    const task = async (): Promise<void> => {
      running += 1;
      if (running > 1) overlaps += 1;
      await setImmediate();
      running -= 1;
    };
    const twice = () => lanes.run('key', task).then(() => lanes.run('key', task));
    await Promise.all(Array.from({ length: 10 }, twice));
    expect(overlaps).toBe(0);
  });

  it('lets another key pass, and goes on after a failure', async () => {
    const lanes = new KeyedLanes();
    const order: string[] = [];
    const slow = lanes.run('a', async () => {
      await setImmediate();
      order.push('a');
      throw new Error('a fails');
    });
    const behind = lanes.run('a', async () => order.push('behind a'));
    const other = lanes.run('b', async () => order.push('b'));
    await Promise.allSettled([slow, behind, other]);
    expect(order).toEqual(['b', 'a', 'behind a']);
  });
});
