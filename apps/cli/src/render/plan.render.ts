import { describePathState, type LeftOut, type PathState, type RollbackPlan } from '@retrace/contracts';
import { type Field, renderFields } from './fields.js';
import type { Screen } from './style.js';
import { type Column, renderTable } from './table.js';
import { plain, plural } from './text.js';

/** What an undo would do: what comes back, and what is left out and why. */
export function renderPlan(plan: RollbackPlan, screen: Screen): string {
  const { undoes, steps, left_out } = plan;
  const nothing = 'nothing to undo';
  const title = `would undo ${plural(undoes.length, 'logical operation')}, ${plural(steps.length, 'path')}`;
  return [
    screen.style.bold(steps.length === 0 ? nothing : title),
    ...(steps.length === 0 ? [] : [renderSteps(plan, screen)]),
    ...(left_out.length === 0 ? [] : ['', renderLeftOut(left_out, screen)]),
  ].join('\n');
}

function renderSteps({ steps }: RollbackPlan, { width, style }: Screen): string {
  const columns: Column[] = [
    { title: 'PATH', min: 8 },
    { title: 'NOW', min: 6, paint: style.dim },
    { title: 'THEN', min: 6 },
  ];
  return renderTable(
    columns,
    steps.map(({ path, expect, restore }) => [path, briefly(expect), then(restore, expect)]),
    width,
  );
}

/** What cannot be taken back, each with the state that was recorded and the one that was found. */
export function renderLeftOut(leftOut: readonly LeftOut[], { width, style }: Screen): string {
  const blocks = leftOut.map(
    (one) => `${style.yellow(plain(one.path))}\n${renderFields(leftOutFields(one), width, '  ')}`,
  );
  return [style.bold(`left out: ${plural(leftOut.length, 'path')}`), ...blocks].join('\n');
}

const leftOutFields = (one: LeftOut): Field[] => [
  ['why', whyOf(one)],
  ['recorded', describePathState(one.expected)],
  ['found', describePathState(one.found)],
  ['part of', one.logical_operation_id],
  ['later', one.later && `${one.later.logical_operation_id} by ${one.later.agent}`],
];

/** The planner's message mostly says it already. */
const whyOf = ({ why, message }: LeftOut): string => (message.includes(WHY[why]) ? message : `${WHY[why]}: ${message}`);

const WHY: Readonly<Record<LeftOut['why'], string>> = {
  dependent: 'later work stands on it',
  outside: 'changed outside, not safe to undo',
  undone: 'undone already',
  lossy: 'what was there before is not to be had',
  all_or_none: 'all or nothing was asked for',
};

const briefly = (state: PathState): string => {
  switch (state.kind) {
    case 'file':
      return `${state.hash.slice(0, 12)}, ${state.size} bytes`;
    case 'absent':
    case 'directory':
    case 'link':
    case 'other':
      return describePathState(state);
  }
};

const then = (restore: PathState, expect: PathState): string =>
  restore.kind === 'absent'
    ? `removed (was created)`
    : expect.kind === 'absent'
      ? `${briefly(restore)} (was deleted)`
      : briefly(restore);
