import { describe, expect, it } from '@jest/globals';
import { median, percentile, rounded } from './percentile.js';

describe('percentile', () => {
  it.each([
    [[7], 0.5, 7],
    [[30, 10, 20], 0.5, 20],
    [[4, 3, 2, 1], 0.5, 2],
    [[5, 1, 4, 2, 3], 0, 1],
    [[5, 1, 4, 2, 3], 1, 5],
    [Array.from({ length: 100 }, (_, index) => index + 1), 0.99, 99],
  ])('of %j at %d is %d', (numbers, share, expected) => {
    expect(percentile(numbers, share)).toBe(expected);
  });

  it('sorts by value, and leaves its argument alone', () => {
    const numbers = [100, 9, 20];
    expect(median(numbers)).toBe(20);
    expect(numbers).toEqual([100, 9, 20]);
  });

  it('of nothing is refused', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

describe('rounded', () => {
  it.each([
    [1234.56, 1235],
    [0.123456, 0.1235],
    [20_000, 20_000],
    [123_456, 123_500],
    [0, 0],
  ])('%d is %d', (number, expected) => {
    expect(rounded(number)).toBe(expected);
  });
});
