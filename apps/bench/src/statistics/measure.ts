import { rounded } from './percentile.js';

/** What is to be reached: of the value itself, or of its ratio to the baseline. */
export interface Target {
  readonly of: 'value' | 'ratio';
  readonly at: 'most' | 'least';
  readonly is: number;
  /** How it reads, where not as the number (1/6). */
  readonly shown?: string;
}

export interface Finding {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The same of the other side, measured in the same run. */
  readonly baseline?: number;
  readonly target: Target;
}

/** A line of the report. */
export interface Measure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly baseline: number | null;
  readonly ratio: number | null;
  readonly target: string;
  readonly pass: boolean;
}

/** Judges a finding. Throws where its target is a ratio and it has no baseline. */
export function judge({ name, value, unit, baseline, target }: Finding): Measure {
  const ratio = baseline === undefined ? null : value / baseline;
  const judged = target.of === 'value' ? value : ratio;
  if (judged === null) throw new TypeError(`${name} has no baseline`);
  return {
    name,
    value: rounded(value),
    unit,
    baseline: baseline === undefined ? null : rounded(baseline),
    ratio: ratio === null ? null : rounded(ratio),
    target: `${target.of} ${target.at === 'most' ? '<=' : '>='} ${target.shown ?? target.is}`,
    pass: target.at === 'most' ? judged <= target.is : judged >= target.is,
  };
}
