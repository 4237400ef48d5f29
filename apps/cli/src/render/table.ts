import { cut, displayWidth, plain } from './text.js';

type Shorten = (text: string, width: number) => string;

export interface Column {
  readonly title: string;
  /** Never cut below this (4, or what the column needs where that is less). */
  readonly min?: number;
  /** Shown only where everything fits with it, uncut. */
  readonly ifRoom?: boolean;
  readonly right?: boolean;
  /** How a cell that is too long is brought to a width; its end is cut unless said. */
  readonly shorten?: Shorten | undefined;
  readonly paint?: ((text: string) => string) | undefined;
}
type Row = readonly string[];

const GAP = '  ';

/**
 * Renders a table at most `width` wide: long cells are cut with `…`, the widest columns first. (By hand: the width of a
 * character must be the same for cutting and for padding.)
 */
export function renderTable(columns: readonly Column[], rows: readonly Row[], width: number): string {
  const { title, line } = layOut(columns, rows, width);
  return [title, ...rows.map(line)].join('\n');
}

/** Where columns stand; rows that come later are brought to it. */
export interface Layout {
  readonly title: string;
  readonly line: (row: Row) => string;
}

/** Lays a table out for such rows as these. */
export function layOut(columns: readonly Column[], rows: readonly Row[], width: number): Layout {
  const cells = rows.map((row) => columns.map((_, index) => plain(row[index] ?? '')));
  const every = columns.map((_, index) => index);
  const fits = sum(natural(columns, cells)) + gaps(columns.length) <= width;
  const shown = fits ? every : every.filter((index) => !columns[index]!.ifRoom);
  const pick = <T>(all: readonly T[]): T[] => shown.map((index) => all[index]!);
  const widths = fit(pick(columns), natural(pick(columns), cells.map(pick)), width);
  const join = (texts: readonly string[]): string => texts.join(GAP).trimEnd();
  const title = join(pick(columns).map((column, index) => pad(column.title, widths[index]!, column, cut)));
  return {
    title,
    line: (row) => join(shown.map((cell, index) => lineCell(columns[cell]!, row[cell], widths[index]!))),
  };
}

function lineCell(column: Column, cell: string | undefined, width: number): string {
  const text = pad(plain(cell ?? ''), width, column, column.shorten ?? cut);
  return column.paint?.(text) ?? text;
}

function pad(text: string, width: number, { right }: Column, shorten: Shorten): string {
  const fitting = shorten(text, width);
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
