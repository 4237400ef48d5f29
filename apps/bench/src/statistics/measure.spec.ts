import { describe, expect, it } from '@jest/globals';
import { judge, type Target } from './measure.js';

const finding = (value: number, target: Target, baseline?: number) => ({
  name: 'x',
  value,
  unit: 'ms',
  target,
  ...(baseline !== undefined && { baseline }),
});

describe('judge', () => {
  it.each([
    ['at most', { of: 'ratio', at: 'most', is: 1.8 }, 1.8, 1.81],
    ['at least', { of: 'ratio', at: 'least', is: 0.3 }, 0.3, 0.29],
    ['at most, of the value', { of: 'value', at: 'most', is: 350 }, 350, 350.1],
    ['at least, of the value', { of: 'value', at: 'least', is: 2000 }, 2000, 1999.9],
  ] as const)('passes up to the target and not beyond: %s', (_, target, good, bad) => {
    expect(judge(finding(good, target, 1)).pass).toBe(true);
    expect(judge(finding(bad, target, 1)).pass).toBe(false);
  });

  it('divides the value by the baseline', () => {
    expect(judge(finding(3, { of: 'ratio', at: 'most', is: 1.8 }, 2))).toEqual({
      name: 'x',
      value: 3,
      unit: 'ms',
      baseline: 2,
      ratio: 1.5,
      target: 'ratio <= 1.8',
      pass: true,
    });
  });

  it('has no ratio where there is no baseline', () => {
    const measure = judge(finding(12_345.678, { of: 'value', at: 'least', is: 10_000 }));
    expect(measure).toMatchObject({ value: 12_350, baseline: null, ratio: null, target: 'value >= 10000', pass: true });
  });

  it('judges before it rounds, and shows a target as it is said', () => {
    const target = { of: 'ratio', at: 'most', is: 1 / 6, shown: '1/6' } as const;
    expect(judge(finding(1.00001, target, 6))).toMatchObject({ ratio: 0.1667, target: 'ratio <= 1/6', pass: false });
  });

  it('refuses a ratio to nothing', () => {
    expect(() => judge(finding(1, { of: 'ratio', at: 'most', is: 2 }))).toThrow('no baseline');
  });
});
