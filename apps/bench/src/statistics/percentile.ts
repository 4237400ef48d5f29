/** Of numbers in any order, by nearest rank; `share` from 0 to 1. */
export function percentile(numbers: readonly number[], share: number): number {
  if (numbers.length === 0) throw new RangeError('a percentile of nothing');
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

export const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

/** To so many significant digits: more would only be noise. */
export const rounded = (number: number, digits = 4): number => Number(number.toPrecision(digits));
