import type { PathStatus } from '@retrace/client';
import { describePathState, type QueryHistory } from '@retrace/contracts';
import type { z } from 'zod';
import { type Field, renderFields } from './fields.js';
import { agreement } from './stat.render.js';
import type { Screen } from './style.js';
import { type Column, renderTable } from './table.js';
import { cutAfterWord, plain, shortTime, wrap } from './text.js';

export type Change = z.infer<(typeof QueryHistory)['reply']>['changes'][number];

export interface History {
  readonly path: string;
  readonly stat: PathStatus;
  /** Newest first. */
  readonly changes: readonly Change[];
  readonly more: boolean;
}

/** Who wrote what stands at a path and why, then what was before it. */
export function renderHistory({ path, stat, changes, more }: History, screen: Screen): string {
  const { style, width } = screen;
  const [newest, ...before] = changes;
  const now = agreement(stat.state, stat.recorded);
  const head: Field[] = [
    ['now', describePathState(stat.state)],
    ['recorded', now],
    ...(newest ? whyFields(newest) : []),
  ];
  const last = before.at(-1) ?? newest;
  return [
    ...wrap(plain(path), width).map(now.startsWith('changed outside') ? style.yellow : style.bold),
    renderFields(head, width, '  '),
    ...(before.length === 0 ? [] : ['', style.bold('before it'), renderChain(before, screen)]),
    ...(more && last ? [style.dim(`more: --before ${last.sequence}`)] : []),
  ].join('\n');
}

const whyFields = (change: Change): Field[] => [
  ['last change', whatOf(change)],
  ['by', change.agent_id],
  ['at', `${change.sequence}, ${change.time}`],
  ['task', change.task],
  ['reason', change.reason],
  ['user asked', change.provenance.user_intent],
  ['ticket', change.provenance.ticket],
  ['model', change.model && [change.model.id, change.model.version].filter(Boolean).join(' ')],
  ['tool', change.tool],
  ['allowed by', `rule ${change.decision.rule}, policy version ${change.decision.policy_version}`],
  ['session', change.session_id],
  ['conversation', change.conversation_id],
  ['parent', change.provenance.parent_operation],
  ['operation', change.operation_id],
  ['undone by', change.undone_by],
];

/** `move docs/a.md → docs/b.md`. */
function whatOf({ action, kind, path, moved_from, moved_to, copied_from }: Change): string {
  const from = moved_from ?? copied_from;
  const where = from ? `${from} → ${path.canonical}` : path.canonical + (moved_to ? ` → ${moved_to}` : '');
  return `${kind === 'rollback' ? 'undo: ' : ''}${action} ${where}`;
}

function renderChain(changes: readonly Change[], { width, style }: Screen): string {
  const columns: Column[] = [
    { title: 'SEQ', right: true, min: 8 },
    { title: width < 70 ? 'UTC' : 'TIME (UTC)', min: 19, paint: style.dim },
    { title: 'AGENT', min: 5 },
    { title: 'WHAT', min: 12, shorten: cutAfterWord },
    { title: 'WHY', min: 6 },
  ];
  const rows = changes.map((change) => [
    String(change.sequence),
    shortTime(change.time, width),
    change.agent_id,
    `${whatOf(change)}${change.undone_by === null ? '' : ' (undone)'}`,
    change.reason ?? change.task ?? '',
  ]);
  return renderTable(columns, rows, width);
}
