import type { LogEntry } from '@retrace/contracts';
import type { Screen, Style } from './style.js';
import { type Column, renderTable } from './table.js';
import { shortTime } from './text.js';

/** A denied intent has no logical operation. */
export type LogRow = Omit<LogEntry, 'logical_operation_id'> & { readonly logical_operation_id: string | null };

/** The log, newest last. The number in front names an entry to `show` and `undo`. */
export function renderLog(rows: readonly LogRow[], { width, style }: Screen): string {
  if (rows.length === 0) return 'nothing in the log';
  const columns: Column[] = [
    { title: 'SEQ', right: true, min: 8 },
    { title: width < 70 ? 'UTC' : 'TIME (UTC)', min: 19, paint: style.dim },
    { title: 'AGENT', min: 5 },
    { title: 'STATUS', min: 7, paint: (text) => paintStatus(text, style) },
    { title: 'WHAT', min: 8 },
    { title: 'WHY', min: 4 },
    { title: 'ID', ifRoom: true },
  ];
  return renderTable(
    columns,
    rows.map((row) => [
      String(row.sequence),
      shortTime(row.time, width),
      row.agent,
      statusOf(row),
      whatOf(row),
      whyOf(row),
      row.logical_operation_id ?? '',
    ]),
    width,
  );
}

export const statusOf = ({ status, undone_by, operations }: Pick<LogRow, 'status' | 'undone_by' | 'operations'>) => {
  if (undone_by !== null) return 'undone';
  return operations.some(({ undone }) => undone) ? 'partly undone' : status;
};

function whatOf({ kind, operations }: LogRow): string {
  const [first, ...others] = operations;
  if (!first) return kind;
  const more = others.length > 0 ? ` +${others.length}` : '';
  return `${kind === 'rollback' ? 'undo: ' : ''}${first.action} ${first.path}${more}`;
}

const whyOf = ({ status, reason, message, task }: LogRow): string =>
  (status === 'applied' ? (reason ?? task) : message) ?? '';

export function paintStatus(status: string, style: Style): string {
  const trimmed = status.trim();
  if (trimmed === 'applied' || trimmed === 'active' || trimmed === 'ready') return style.green(status);
  if (trimmed === 'denied' || trimmed === 'failed' || trimmed === 'not there') return style.red(status);
  return style.yellow(status);
}
