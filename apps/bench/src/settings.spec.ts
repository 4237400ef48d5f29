import { describe, expect, it } from '@jest/globals';
import { GROUPS, parseSettings } from './settings.js';

describe('parseSettings', () => {
  it('measures everything in one process unless told otherwise', () => {
    const expected = { mode: 'standalone', durability: 'process', quick: false, groups: GROUPS, json: undefined };
    expect(parseSettings([])).toMatchObject({ ...expected, scale: { warmUp: 1000, operations: 100_000 } });
  });

  it('takes what it is given', () => {
    const args = ['--quick', '--cluster', '--durability', 'power', '--only', 'files,write', '--operations', '7'];
    const expected = { mode: 'cluster', durability: 'power', quick: true, groups: ['files', 'write'] };
    expect(parseSettings([...args, '--json', 'x'])).toMatchObject({ ...expected, json: 'x', scale: { operations: 7 } });
    expect(parseSettings(args).scale.calls).toBeLessThan(parseSettings([]).scale.calls);
  });

  it.each([
    [['--only', 'speed'], 'no measure speed'],
    [['--durability', 'fire'], 'durability fire?'],
    [['--operations', '0'], '--operations 0?'],
    [['--operations', 'many'], '--operations many?'],
    [['--cluster', '--profile', 'x'], '--profile is of one process'],
    [['--fast'], 'Unknown option'],
  ])('refuses %j', (args, why) => {
    expect(() => parseSettings(args)).toThrow(why);
  });
});
