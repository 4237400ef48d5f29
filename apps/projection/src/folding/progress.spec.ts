import { describe, expect, it } from '@jest/globals';
import { Progress } from './progress.js';

const LONG = 60_000;

describe('Progress', () => {
  it('answers at once where a lane stands already', async () => {
    const progress = new Progress();
    progress.set('1', { sequence: 5, messages: 2 });
    expect(await progress.reached('1', 5, LONG)).toBe(true);
    expect(await progress.reached('2', 0, LONG)).toBe(true);
  });

  it('wakes those that wait for a sequence, and only those', async () => {
    const progress = new Progress();
    const [early, late] = [progress.reached('1', 5, LONG), progress.reached('1', 6, 20)];
    progress.set('2', { sequence: 9, messages: 1 });
    progress.set('1', { sequence: 5, messages: 1 });
    expect(await early).toBe(true);
    expect(await late).toBe(false);
  });

  it('sums up the lanes, and forgets one that is folded again', () => {
    const progress = new Progress();
    expect([progress.newest(), progress.total()]).toEqual([0, 0]);
    progress.set('1', { sequence: 5, messages: 2 });
    progress.set('2', { sequence: 9, messages: 4 });
    expect([progress.newest(), progress.total()]).toEqual([9, 6]);
    progress.reset('2');
    expect([progress.newest(), progress.total(), progress.of('2').sequence]).toEqual([5, 2, 0]);
  });
});
