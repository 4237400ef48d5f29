import { describe, expect, it } from '@jest/globals';
import { inTurns, type Side } from './in-turns.js';

/** A side that writes down its calls and lets a clock go on. */
function sides(clock: { at: number }, calls: string[]): Side[] {
  const side = (name: string, ms: number): Side => ({
    call: async (index, content) => {
      calls.push(`${name}${index}${content}`);
      clock.at += ms;
      await Promise.resolve();
    },
  });
  return [side('a', 1), side('b', 10)];
}

describe('inTurns', () => {
  it('lets the sides take turns in blocks, warm-up calls first', async () => {
    const calls: string[] = [];
    await inTurns(sides({ at: 0 }, calls), { warmUp: 3, calls: 2, block: 2 }, () => '');
    expect(calls.join(' ')).toBe('a0 a1 b0 b1 a2 b2 a3 a4 b3 b4');
  });

  it('counts what is not warm-up, by side, and no time in which contents are made', async () => {
    const clock = { at: 0 };
    const content = (): string => {
      clock.at += 100;
      return '!';
    };
    const taken = await inTurns(sides(clock, []), { warmUp: 5, calls: 3, block: 2 }, content, () => clock.at);
    expect(taken).toEqual([
      [1, 1, 1],
      [10, 10, 10],
    ]);
  });
});
