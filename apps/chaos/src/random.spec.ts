import { describe, expect, it } from '@jest/globals';
import { Random } from './random.js';

describe('Random', () => {
  it('gives the same again for the same seed, and something else for another', () => {
    const of = (seed: number) => {
      const random = new Random(seed);
      return Array.from({ length: 20 }, () => random.between(0, 1000));
    };
    expect(of(7)).toEqual(of(7));
    expect(of(7)).not.toEqual(of(8));
  });

  it('chooses by weight, and never what weighs nothing', () => {
    const random = new Random(1);
    const chosen = Array.from({ length: 1000 }, () => random.weighted({ often: 9, seldom: 1, never: 0 }));
    const count = (name: string) => chosen.filter((one) => one === name).length;
    expect(count('often')).toBeGreaterThan(800);
    expect(count('seldom')).toBeGreaterThan(50);
    expect(count('never')).toBe(0);
  });
});
