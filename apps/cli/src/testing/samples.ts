import { ABSENT, type LeftOut, type PathState, type RestoreStep, type RollbackPlan } from '@retrace/contracts';
import { fileState } from '@retrace/client/testing';
import type { LogRow } from '../render/log.render.js';
import { type Screen, screenOf } from '../render/style.js';

const UUID = '0197e1f0-3c5a-7b1e-9d2f-2f0a4c6b8d1';
export const LOP = `lop_${UUID}0`;
export const OP = `op_${UUID}1`;
export const SES = `ses_${UUID}2`;

export const screenAt = (width: number): Screen =>
  screenOf({ env: { COLUMNS: String(width) }, stdoutIsTty: false, columns: undefined });

/** One operation as a line of the log names it. */
export const rowOperation = (
  action: string,
  path: string,
  change: Partial<LogRow['operations'][number]> = {},
): LogRow['operations'][number] => ({
  operation_id: null,
  action,
  path,
  from: null,
  undone: false,
  paths: 1,
  ...change,
});

export const logRow = (change: Partial<LogRow> = {}): LogRow => ({
  sequence: 1042,
  time: '2025-01-15T14:30:22.000Z',
  logical_operation_id: LOP,
  kind: 'operation',
  status: 'applied',
  agent: 'writer' as LogRow['agent'],
  session_id: null,
  task: 'tidy the notes',
  tool: null,
  reason: null,
  code: null,
  message: null,
  rule: null,
  policy_version: null,
  undone_by: null,
  operations: [rowOperation('edit', 'docs/a.md')],
  operation_count: 1,
  path_count: 1,
  open: false,
  ...change,
});

export const leftOut = (change: Partial<LeftOut> = {}): LeftOut =>
  ({
    logical_operation_id: LOP,
    path: 'docs/b.md',
    why: 'outside',
    message: 'nobody recorded what is there now',
    expected: fileState('b', 20),
    found: fileState('c', 30),
    only_path: false,
    later: null,
    ...change,
  }) as LeftOut;

export const stepOf = (path: string, expect: PathState, restore: PathState): RestoreStep =>
  ({ compensates: [OP], path, expect, restore, how: 'restore', keeps: [] }) as unknown as RestoreStep;

export const planOf = (change: Partial<RollbackPlan> = {}): RollbackPlan =>
  ({
    plan_hash: '0'.repeat(64),
    workspace: 'notes',
    requested_by: '_op-local',
    selection: { by: 'logical_operation', logical_operation_id: LOP },
    at_sequence: 7,
    undoes: [LOP],
    owners: ['writer'],
    steps: [stepOf('docs/a.md', fileState('a', 10), ABSENT), stepOf('docs/old.md', ABSENT, fileState('d', 5))],
    except: [],
    options: { merge: false, force: false, skip: false, all_or_none: false },
    step_count: change.steps?.length ?? 2,
    left_out: [],
    ...change,
  }) as RollbackPlan;
