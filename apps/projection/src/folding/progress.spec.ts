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

  it('stands for another one from its adoption on, for those too who wait already', async () => {
    const [progress, next] = [new Progress(), new Progress()];
    progress.set('1', { sequence: 5, messages: 5 });
    next.set('1', { sequence: 4, messages: 4 });
    expect(next.covers(progress)).toBe(false);
    next.set('1', { sequence: 5, messages: 5 });
    next.set('2', { sequence: 6, messages: 1 });
    expect([next.covers(progress), progress.covers(next)]).toEqual([true, false]);
    const waiting = [progress.reached('2', 6, LONG), progress.reached('1', 7, LONG)];
    progress.adopt(next);
    expect(await waiting[0]).toBe(true);
    next.set('1', { sequence: 7, messages: 6 });
    expect(await waiting[1]).toBe(true);
    expect([progress.newest(), progress.total()]).toEqual([7, 7]);
  });

  it('lets nobody wait once it ended', async () => {
    const progress = new Progress();
    const waiting = progress.reached('1', 5, LONG);
    progress.endWaiting();
    expect([await waiting, await progress.reached('1', 5, LONG)]).toEqual([false, false]);
    progress.set('1', { sequence: 5, messages: 5 });
    expect(await progress.reached('1', 5, LONG)).toBe(true);
  });
});
