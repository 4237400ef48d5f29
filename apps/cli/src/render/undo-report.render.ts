import type { UndoReport } from '@retrace/client';
import { renderFields } from './fields.js';
import { renderLeftOut } from './plan.render.js';
import type { Screen } from './style.js';
import { plural } from './text.js';

/** What an undo did. */
export function renderUndoReport({ outcome, report, sequence }: UndoReport, screen: Screen): string {
  const { style, width } = screen;
  const restored = plural(report.restored.length, 'path');
  const title: Readonly<Record<UndoReport['outcome'], string>> = {
    undone: style.green(`undone: ${restored} restored`),
    partial: style.yellow(`undone in part: ${restored} restored, ${plural(report.left_out.length, 'path')} left out`),
    nothing: style.yellow('nothing was undone'),
    failed: style.red('the undo failed'),
  };
  const failures = report.failures.map(({ part, code, message }) => `part ${part}: ${message} (${code})`);
  return [
    title[outcome],
    ...report.restored.map((path) => `  ${path}`),
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
