import type { LogEntry } from '@retrace/contracts';
import type { Screen, Style } from './style.js';
import { type Column, layOut, renderTable } from './table.js';
import { cutAfterWord, shortTime } from './text.js';

/** A denied intent has no logical operation. */
export type LogRow = Omit<LogEntry, 'logical_operation_id'> & { readonly logical_operation_id: string | null };

/** The log, newest last. The number in front names an entry to `show` and `undo`. */
export function renderLog(rows: readonly LogRow[], screen: Screen): string {
  if (rows.length === 0) return 'nothing in the log';
  return renderTable(
    columnsOf(screen),
    rows.map((row) => cellsOf(row, screen)),
    screen.width,
  );
}

/** Lines of a log that goes on, laid out before it is known how long they will be. */
export function followingLog(rows: readonly LogRow[], screen: Screen): { title: string; line(row: LogRow): string } {
  const room = ' '.repeat(screen.width);
  const sample = ['', '', ' '.repeat(12), '', room, room, ''];
  const cells = [...rows.map((row) => cellsOf(row, screen)), sample];
  const { title, line } = layOut(columnsOf(screen), cells, screen.width);
  return { title, line: (row) => line(cellsOf(row, screen)) };
}

const columnsOf = ({ width, style }: Screen): Column[] => [
  { title: 'SEQ', right: true, min: 8 },
  { title: width < 70 ? 'UTC' : 'TIME (UTC)', min: 19, paint: style.dim },
  { title: 'AGENT', min: 5 },
  { title: 'STATUS', min: 7, paint: (text) => paintStatus(text, style) },
  { title: 'WHAT', min: 8, shorten: cutAfterWord },
  { title: 'WHY', min: 4 },
  { title: 'ID', ifRoom: true },
];

const cellsOf = (row: LogRow, { width }: Screen): string[] => [
  String(row.sequence),
  shortTime(row.time, width),
  row.agent,
  statusOf(row),
  whatOf(row),
  whyOf(row),
  row.logical_operation_id ?? '',
];

type Statused = Pick<LogRow, 'status' | 'undone_by' | 'operations' | 'open'>;

export const statusOf = ({ status, undone_by, operations, open }: Statused): string => {
  if (undone_by !== null) return 'undone';
  if (operations.some(({ undone }) => undone)) return 'partly undone';
  return open && status === 'applied' ? 'open' : status;
};

/** `edit docs/a.md`, `move a.md → b.md`, `delete drafts +119`: so many more paths. */
function whatOf({ kind, operations, operation_count, path_count }: LogRow): string {
  const [first] = operations;
  if (!first) return kind;
  const path = first.from === null ? first.path : `${first.from} → ${first.path}`;
  // A move changes two paths, of each file in a folder too: what it was asked for says more.
  const count = first.action === 'move' ? operation_count : Math.max(operation_count, path_count);
  return `${kind === 'rollback' ? 'undo' : first.action} ${path}${count > 1 ? ` +${count - 1}` : ''}`;
}

const whyOf = ({ status, reason, message, task }: LogRow): string =>
  (status === 'applied' ? (reason ?? task) : message) ?? '';

export function paintStatus(status: string, style: Style): string {
  const trimmed = status.trim();
  if (trimmed === 'applied' || trimmed === 'ok' || trimmed === 'active' || trimmed === 'ready')
    return style.green(status);
  if (trimmed === 'denied' || trimmed === 'failed' || trimmed === 'not there') return style.red(status);
  return style.yellow(status);
}
