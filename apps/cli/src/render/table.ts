import { cut, displayWidth, plain } from './text.js';

export interface Column {
  readonly title: string;
  /** Never cut below this (4, or what the column needs where that is less). */
  readonly min?: number;
  /** Shown only where everything fits with it, uncut. */
  readonly ifRoom?: boolean;
  readonly right?: boolean;
  readonly paint?: ((text: string) => string) | undefined;
}
type Row = readonly string[];

const GAP = '  ';

/**
 * Renders a table at most `width` wide: long cells are cut with `…`, the widest columns first. (By hand: the width of a
 * character must be the same for cutting and for padding.)
 */
export function renderTable(columns: readonly Column[], rows: readonly Row[], width: number): string {
  const cells = rows.map((row) => columns.map((_, index) => plain(row[index] ?? '')));
  const every = columns.map((_, index) => index);
  const fits = sum(natural(columns, cells)) + gaps(columns.length) <= width;
  const shown = fits ? every : every.filter((index) => !columns[index]!.ifRoom);
  const pick = <T>(all: readonly T[]): T[] => shown.map((index) => all[index]!);
  return renderShown(pick(columns), cells.map(pick), width);
}

function renderShown(columns: readonly Column[], cells: readonly Row[], width: number): string {
  const widths = fit(columns, natural(columns, cells), width);
  const titles = columns.map(({ title }, index) => pad(title, widths[index]!, columns[index]!));
  const lines = cells.map((row) =>
    row.map((cell, index) => {
      const column = columns[index]!;
      const text = pad(cell, widths[index]!, column);
      return column.paint?.(text) ?? text;
    }),
  );
  return [titles, ...lines].map((line) => line.join(GAP).trimEnd()).join('\n');
}

function pad(text: string, width: number, { right }: Column): string {
  const fitting = cut(text, width);
  const space = ' '.repeat(Math.max(0, width - displayWidth(fitting)));
  return right ? space + fitting : fitting + space;
}

const natural = (columns: readonly Column[], rows: readonly Row[]): number[] =>
  columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );

/** Takes what is too much from the widest columns. Where even the least of all is too much, it stays too wide. */
function fit(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  const fitted = [...widths];
  const least = columns.map(({ min = 4 }, index) => Math.min(widths[index]!, min));
  for (let excess = sum(fitted) + gaps(columns.length) - width; excess > 0; excess -= 1) {
    const widest = widestAbove(fitted, least);
    if (widest === undefined) break;
    fitted[widest]! -= 1;
  }
  return fitted;
}

function widestAbove(widths: readonly number[], least: readonly number[]): number | undefined {
  const able = widths.map((_, index) => index).filter((index) => widths[index]! > least[index]!);
  return able.toSorted((a, b) => widths[b]! - widths[a]!)[0];
}

const gaps = (columns: number): number => GAP.length * Math.max(0, columns - 1);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
