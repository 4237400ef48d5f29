import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

export const MOMENT_HELP = '2h (30s, 15m, 3d, 1w) ago, or a date and time, UTC unless it says: 2025-01-15 14:30';

/** Reads a moment, and answers it as RFC 3339. Without an offset it is UTC, as times are shown. */
export const moment =
  (now: () => number = Date.now) =>
  (text: string): string => {
    const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
    const time = unit === undefined ? dateOf(text) : now() - Number(count) * UNIT_MS[unit]!;
    if (!Number.isNaN(time)) return new Date(time).toISOString();
    throw new InvalidArgumentError(MOMENT_HELP);
  };

function dateOf(text: string): number {
  if (!DATE.test(text)) return Number.NaN;
  const offset = /(?:Z|[+-]\d{2}:\d{2})$/.test(text.slice(10)) ? '' : 'Z';
  return Date.parse(text.length === 10 ? text : text.replace(' ', 'T') + offset);
}

/** A place in the log: a number (`1042`, `#1042`), or a moment. */
export type Place = { readonly sequence: number } | { readonly time: string };

export const place = (text: string): Place =>
  /^#?[1-9]\d{0,15}$/.test(text) ? { sequence: Number(text.replace('#', '')) } : { time: moment()(text) };
