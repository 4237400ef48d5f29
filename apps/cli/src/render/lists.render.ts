import type { PolicyExplain, QuerySessions, QueryWorkspaces } from '@retrace/contracts';
import type { z } from 'zod';
import { paintStatus } from './log.render.js';
import type { Screen } from './style.js';
import { renderTable } from './table.js';
import { cutMiddle, plain, plural, shortTime, wrap } from './text.js';

export type SessionRow = z.infer<(typeof QuerySessions)['reply']>['sessions'][number];
export type WorkspaceRow = z.infer<(typeof QueryWorkspaces)['reply']>['workspaces'][number];
export type Explanation = z.infer<(typeof PolicyExplain)['reply']>;
export interface AgentRow {
  readonly principal: string;
  readonly workspaces: readonly string[];
  readonly created_at: string;
}

export function renderSessions(rows: readonly SessionRow[], { width, style }: Screen): string {
  if (rows.length === 0) return 'no sessions';
  // An id is of use only as a whole.
  const narrow = width < 70;
  const columns = [
    { title: 'SESSION', min: 40 },
    { title: 'AGENT', min: 5 },
    { title: 'STATUS', min: 6, ifRoom: narrow, paint: (text: string) => paintStatus(text, style) },
    { title: 'OPS', right: true, ifRoom: narrow },
    { title: width < 70 ? 'UTC' : 'OPENED (UTC)', ifRoom: true },
    { title: 'TASK', min: 4 },
  ];
  const cells = rows.map((row) => [
    row.session_id,
    row.agent,
    row.status,
    String(row.operations),
    shortTime(row.opened_at, width),
    row.task,
  ]);
  return renderTable(columns, cells, width);
}

export function renderWorkspaces(rows: readonly WorkspaceRow[], screen: Screen): string {
  if (rows.length === 0) return 'no workspaces. Add one: retrace workspace add DIR';
  const baselines = rows.flatMap((row) => renderBaseline(row, screen));
  return [renderWorkspaceTable(rows, screen), ...(baselines.length === 0 ? [] : ['', ...baselines])].join('\n');
}

/** Repositories within are left out by no rule. */
const byWhat = (rules: readonly string[]): string => (rules.length === 0 ? ': .git' : ` by ${rules.join(', ')}`);

/** What was stored when the workspace was added, and what was not. */
function renderBaseline({ name, baseline }: WorkspaceRow, { width }: Screen): string[] {
  if (baseline === null) return [];
  const { files, bytes, sequence, ignored_rules: rules, ignored_entries: ignored, skipped } = baseline;
  const parts = [
    `baseline of ${name}: ${plural(files, 'file')}, ${bytes} bytes, at ${sequence}`,
    ignored > 0 && `${plural(ignored, 'entry', 'entries')} left out${byWhat(rules)}`,
    skipped > 0 && `${skipped} could not be stored: their first change stores them`,
  ];
  return wrap(plain(parts.filter(Boolean).join('; ')), width - 2).map((line, i) => (i === 0 ? line : `  ${line}`));
}

function renderWorkspaceTable(rows: readonly WorkspaceRow[], { width }: Screen): string {
  const columns = [
    { title: 'WORKSPACE', min: 9 },
    { title: 'ROOT', min: 8, shorten: cutMiddle },
    { title: 'POLICY', min: 6 },
    { title: 'MEMBERS', min: 7 },
    { title: 'BASELINE', min: 8 },
    { title: 'CHANGES', right: true, min: 7 },
  ];
  const cells = rows.map((row) => [
    row.name,
    row.root,
    row.policy === null ? 'none' : `${row.policy} v${row.policy_version}`,
    row.members.join(', '),
    row.baseline === null ? 'not yet' : plural(row.baseline.files, 'file'),
    String(row.logical_operations),
  ]);
  return renderTable(columns, cells, width);
}

export function renderAgents(rows: readonly AgentRow[], { width }: Screen): string {
  const columns = [
    { title: 'NAME', min: 8 },
    { title: 'WORKSPACES', min: 10 },
    { title: width < 70 ? 'UTC' : 'SINCE (UTC)', ifRoom: true },
  ];
  const cells = rows.map((row) => [row.principal, row.workspaces.join(', '), shortTime(row.created_at, width)]);
  return rows.length === 0 ? 'no agents' : renderTable(columns, cells, width);
}

/** What policy would answer, and each rule that it tried. */
export function renderExplanation(explanation: Explanation, { width, style }: Screen): string {
  const { allowed, rule, message, policy_version, canonical, tried } = explanation;
  const answer = allowed ? style.green('allowed') : style.red('denied');
  const columns = [
    { title: 'RULE', min: 8 },
    { title: 'MATCHED', min: 7 },
    { title: 'WHY', min: 8 },
  ];
  const rows = tried.map((one) => [one.rule, one.matched ? 'yes' : 'no', one.why]);
  return [
    `${answer} ${plain(canonical)} by rule ${plain(rule)} of policy version ${policy_version}`,
    plain(message),
    ...(rows.length === 0 ? [] : [renderTable(columns, rows, width)]),
  ].join('\n');
}
