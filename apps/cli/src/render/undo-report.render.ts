import type { UndoReport } from '@retrace/client';
import { renderFields } from './fields.js';
import { renderLeftOut, type Verb } from './plan.render.js';
import type { Screen } from './style.js';
import { plural } from './text.js';

/** Paths that are named; the record of the logical operation has them all. */
const NAMED = 20;
const DONE: Readonly<Record<Verb, string>> = { undo: 'undone', redo: 'redone' };

/** What an undo or redo did. */
export function renderUndoReport(
  { outcome, report, sequence }: UndoReport,
  screen: Screen,
  verb: Verb = 'undo',
): string {
  const { style, width } = screen;
  const done = DONE[verb];
  const restored = plural(report.restored.length, 'path');
  const title: Readonly<Record<UndoReport['outcome'], string>> = {
    undone: style.green(`${done}: ${restored} restored`),
    partial: style.yellow(`${done} in part: ${restored} restored, ${plural(report.left_out.length, 'path')} left out`),
    nothing: style.yellow(`nothing was ${done}`),
    failed: style.red(`the ${verb} failed`),
  };
  const failures = report.failures.map(({ part, code, message }) => `part ${part}: ${message} (${code})`);
  return [
    title[outcome],
    ...report.restored.slice(0, NAMED).map((path) => `  ${path}`),
    ...(report.restored.length > NAMED ? [`  and ${report.restored.length - NAMED} more`] : []),
    ...failures,
    renderFields(
      [
        ['as', report.logical_operation_id],
        ['at', sequence],
      ],
      width,
      '  ',
    ),
    ...(report.left_out.length === 0 ? [] : [renderLeftOut(report.left_out, screen)]),
  ].join('\n');
}
