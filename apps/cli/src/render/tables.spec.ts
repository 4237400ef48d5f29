import { fileState, recordOf } from '@retrace/client/testing';
import { ABSENT, type PathState } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import { finding } from '../doctor/finding.js';
import { leftOut, LOP, logRow, planOf, rowOperation, screenAt, SES, stepOf } from '../testing/samples.js';
import { renderFindings } from './findings.render.js';
import { type Change, renderHistory } from './history.render.js';
import { renderSessions, renderWorkspaces, type SessionRow, type WorkspaceRow } from './lists.render.js';
import { renderListing } from './listing.render.js';
import { followingLog, renderLog } from './log.render.js';
import { renderPlan } from './plan.render.js';
import { displayWidth } from './text.js';

const LONG = 'packages/billing/src/invoices/rendering/templates/invoice-footer.template.html';
const TIME = '2025-01-15T14:30:22.000Z';

const rows = [
  logRow(),
  logRow({ sequence: 1043, operations: [rowOperation('edit', LONG)], reason: 'the footer names the new address' }),
  logRow({
    sequence: 1044,
    operations: [rowOperation('move', 'docs/guide', { from: 'guide', paths: 40 })],
    path_count: 80,
    undone_by: LOP as never,
  }),
  logRow({
    sequence: 1045,
    operations: [rowOperation('delete', 'drafts', { paths: 120 })],
    path_count: 120,
    open: true,
  }),
  logRow({
    sequence: 1046,
    status: 'denied',
    logical_operation_id: null,
    message: `${LONG}: rule no-templates forbids it`,
  }),
];

const change = (sequence: number, more: Partial<Change> = {}): Change =>
  ({
    ...recordOf({ path: { typed: LONG, canonical: LONG as never }, operation_id: 'op_1' as never }),
    sequence,
    time: TIME,
    workspace: 'notes',
    kind: 'operation',
    undone_by: null,
    task: 'new address everywhere',
    conversation_id: null,
    ...more,
  }) as Change;

const plan = planOf({
  steps: [
    stepOf(LONG, fileState('a', 10), fileState('b', 12)),
    { ...stepOf('docs/a.md', fileState('a', 10), fileState('c', 9)), how: 'merge' as const },
    { ...stepOf('new.md', fileState('d', 5), ABSENT), moves_to: 'old.md' as never },
  ],
  left_out: [leftOut({ path: LONG as never })],
});

const workspace = (name: string, more: object = {}): WorkspaceRow =>
  ({
    name,
    root: `/srv/projects/customers/${name}/checkout`,
    policy: 'team',
    policy_version: 3,
    members: ['writer', 'reviewer'],
    logical_operations: 17,
    baseline: null,
    ...more,
  }) as WorkspaceRow;

const baseline = {
  sequence: 5,
  manifest_hash: '',
  files: 1204,
  bytes: 345_678,
  ignored_rules: ['.gitignore', 'packages/billing/.gitignore'],
  ignored_entries: 31,
  skipped: 0,
};

const entry = (name: string, more: object = {}) => ({
  name,
  kind: 'file' as const,
  size: 1234,
  mode: 0o644,
  modified_at: TIME,
  target: null,
  ...more,
});

const session = {
  session_id: SES,
  agent: 'writer',
  status: 'active',
  task: 'tidy the notes',
  opened_at: TIME,
  operations: 3,
};

const TABLES: Readonly<Record<string, (width: number) => string>> = {
  log: (width) => renderLog(rows, screenAt(width)),
  'log that is followed': (width) => {
    const lines = followingLog(rows.slice(0, 1), screenAt(width));
    return [lines.title, ...rows.map((row) => lines.line(row))].join('\n');
  },
  history: (width) =>
    renderHistory(
      {
        path: LONG,
        stat: { canonical: LONG, state: fileState('c', 12), modified_at: TIME, recorded: recordedAt(fileState('a')) },
        changes: [change(1042, { reason: 'typo' }), change(7, { action: 'move', moved_from: 'invoice.html' as never })],
        more: true,
      },
      screenAt(width),
    ),
  plan: (width) => renderPlan(plan, screenAt(width)),
  workspaces: (width) => renderWorkspaces([workspace('notes', { baseline }), workspace('app')], screenAt(width)),
  sessions: (width) => renderSessions([session as SessionRow], screenAt(width)),
  listing: (width) =>
    renderListing(
      [entry('a.md'), entry('docs', { kind: 'directory', mode: 0o755 }), entry('l', { kind: 'link', target: LONG })],
      screenAt(width),
    ),
  findings: (width) =>
    renderFindings(
      [
        finding({
          area: 'path',
          where: 'home',
          status: 'ok',
          found: '/home/somebody/.local/share/retrace can be read',
        }),
        finding({ area: 'disk', where: 'home', status: 'warning', found: '0.4 GiB free', remedy: 'make room on it' }),
        finding({
          area: 'bus',
          where: 'policy',
          status: 'failed',
          found: 'not there',
          remedy: 'retrace down, retrace up',
        }),
      ],
      screenAt(width),
    ),
};

function recordedAt(state: PathState) {
  return { state, sequence: 1042, operation_id: null, session_id: null, agent: 'writer' as never };
}

describe.each(Object.entries(TABLES))('the %s', (_, render) => {
  it.each([60, 80, 120])('fits %i columns', (width) => {
    const text = render(width);
    expect(text).toMatchSnapshot();
    expect(Math.max(...text.split('\n').map(displayWidth))).toBeLessThanOrEqual(width);
  });
});
