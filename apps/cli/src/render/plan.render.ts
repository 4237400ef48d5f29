import {
  describePathState,
  type LeftOut,
  type PathState,
  type PlanDiff,
  type RestoreStep,
  type RollbackPlan,
} from '@retrace/contracts';
import type { z } from 'zod';
import { linesOf } from './diff.render.js';
import { type Field, renderFields } from './fields.js';
import type { Screen } from './style.js';
import { type Column, renderTable } from './table.js';
import { cutMiddle, plain, plural, wrap } from './text.js';

/** What a step changes; `problem`: why there is no diff of it. */
export type StepDiff = z.infer<(typeof PlanDiff)['reply']> & { readonly problem: string | null };
export type Verb = 'undo' | 'redo';

export interface PlanContext {
  readonly verb: Verb;
  /** What some steps change; `null`: not asked for. */
  readonly diffs: readonly StepDiff[] | null;
  /** For a file or a pipe. */
  readonly raw: boolean;
  /** Name the plan, so that it can be run. */
  readonly hash: boolean;
}

const PREVIEW: PlanContext = { verb: 'undo', diffs: null, raw: false, hash: false };
/** More is nothing that a person reads. */
const MAX_ROWS = 200;

/** What an undo would do: what comes back, and what is left out and why. */
export function renderPlan(plan: RollbackPlan, screen: Screen, context: PlanContext = PREVIEW): string {
  const { undoes, step_count, left_out } = plan;
  const { verb, hash } = context;
  const title = `would ${verb} ${plural(undoes.length, 'logical operation')}, ${plural(step_count, 'path')}`;
  const nothing = step_count === 0;
  return [
    screen.style.bold(nothing ? `nothing to ${verb}` : title),
    ...(nothing ? [] : [renderSteps(plan, screen)]),
    ...(left_out.length === 0 ? [] : ['', renderLeftOut(left_out, screen)]),
    ...renderStepDiffs(screen, context),
    ...(hash && !nothing ? ['', screen.style.dim(`plan ${plan.plan_hash}`)] : []),
  ].join('\n');
}

function renderSteps({ steps, step_count }: RollbackPlan, { width, style }: Screen): string {
  const columns: Column[] = [
    { title: 'PATH', min: 8, shorten: cutMiddle },
    { title: 'NOW', min: 6, paint: style.dim },
    { title: 'THEN', min: 6 },
  ];
  const shown = steps.slice(0, MAX_ROWS);
  const table = renderTable(
    columns,
    shown.map((step) => [step.path, briefly(step.expect), then(step)]),
    width,
  );
  return [table, ...andMore(step_count - shown.length, 'path', style)].join('\n');
}

function renderStepDiffs({ style }: Screen, { diffs, raw }: PlanContext): string[] {
  const blocks = (diffs ?? []).flatMap(({ diff, binary, path, truncated, withheld, problem }) => {
    const notes = [
      binary && `binary: ${plain(path)}`,
      withheld === true && style.yellow(`no diff of ${plain(path)}: it holds what this agent may not read here`),
      problem !== null && style.yellow(`no diff of ${plain(path)}: ${plain(problem)}`),
    ];
    const cut = truncated ? [style.yellow(cutNote(path, diff))] : [];
    return [...notes.filter((note) => note !== false), ...linesOf(diff, { raw, style }), ...cut];
  });
  return blocks.length === 0 ? [] : ['', ...blocks];
}

const cutNote = (path: string, diff: string): string =>
  diff === '' ? `no diff of ${plain(path)}: it is too large` : `… the diff of ${plain(path)} is longer`;

const andMore = (count: number, what: string, style: Screen['style']): string[] =>
  count > 0 ? [style.yellow(`… and ${plural(count, what)} more (--json lists all)`)] : [];

/** What cannot be taken back, each with the state that was recorded and the one that was found. */
export function renderLeftOut(leftOut: readonly LeftOut[], { width, style }: Screen): string {
  const shown = leftOut.slice(0, MAX_ROWS);
  const blocks = shown.flatMap((one) => [
    ...wrap(plain(one.path), width).map(style.yellow),
    renderFields(leftOutFields(one), width, '  '),
  ]);
  const title = style.bold(`left out: ${plural(leftOut.length, 'path')}`);
  return [title, ...blocks, ...andMore(leftOut.length - shown.length, 'path', style)].join('\n');
}

const leftOutFields = (one: LeftOut): Field[] => [
  ['why', whyOf(one)],
  ['recorded', describePathState(one.expected)],
  ['found', describePathState(one.found)],
  ['part of', one.only_path ? `${one.logical_operation_id}, whose rest is undone` : one.logical_operation_id],
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

function then(step: RestoreStep): string {
  const { how, keeps } = step;
  const agents = [...new Set(keeps.map(({ agent }) => agent))].join(', ');
  const marks = [
    how === 'merge' && 'merged',
    how === 'force' && 'over what stands there',
    agents && `keeps work of ${agents}`,
  ];
  const notes = marks.filter(Boolean).join(', ');
  return notes === '' ? backTo(step) : `${notes}: ${backTo(step)}`;
}

function backTo({ restore, expect, moves_from, moves_to }: RestoreStep): string {
  if (moves_to !== undefined) return `moved back to ${moves_to}`;
  if (moves_from !== undefined) return `moved back from ${moves_from}`;
  if (restore.kind === 'absent') return expect.kind === 'absent' ? 'stays absent' : 'removed (was created)';
  return expect.kind === 'absent' ? `${briefly(restore)} (was deleted)` : briefly(restore);
}
