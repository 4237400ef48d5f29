import { describe, expect, it } from '@jest/globals';
import { parseOptions } from './options.js';

describe('parseOptions', () => {
  it('runs ten minutes on a cluster, with a seed of its own, unless said otherwise', () => {
    const options = { minutes: 10, mode: 'cluster', seed: 234_567, folder: undefined, keep: false };
    expect(parseOptions([], 1_234_567)).toEqual(options);
  });

  it.each([
    [['--minutes', '0'], /minutes/],
    [['--minutes', 'x'], /minutes/],
    [['--seed', '1.5'], /seed/],
    [['--mode', 'both'], /mode/],
    [['--what'], /what/],
  ])('refuses %j', (args, why) => {
    expect(() => parseOptions(args, 0)).toThrow(why);
  });
});
