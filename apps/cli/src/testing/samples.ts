import type { LeftOut, RollbackPlan } from '@retrace/contracts';
import { fileState } from '@retrace/client/testing';
import type { LogRow } from '../render/log.render.js';
import { type Screen, screenOf } from '../render/style.js';

const UUID = '0197e1f0-3c5a-7b1e-9d2f-2f0a4c6b8d1';
export const LOP = `lop_${UUID}0`;
export const OP = `op_${UUID}1`;
export const SES = `ses_${UUID}2`;

export const screenAt = (width: number): Screen =>
  screenOf({ env: { COLUMNS: String(width) }, stdoutIsTty: false, columns: undefined });

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
  operations: [{ operation_id: null, action: 'edit', path: 'docs/a.md', undone: false }],
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
    later: null,
    ...change,
  }) as LeftOut;

export const planOf = (change: Partial<RollbackPlan> = {}): RollbackPlan =>
  ({
    plan_hash: '0'.repeat(64),
    workspace: 'notes',
    requested_by: '_op-local',
    selection: { by: 'logical_operation', logical_operation_id: LOP },
    at_sequence: 7,
    undoes: [LOP],
    owners: ['writer'],
    steps: [
      { compensates: [OP], path: 'docs/a.md', expect: fileState('a', 10), restore: { kind: 'absent' } },
      { compensates: [OP], path: 'docs/old.md', expect: { kind: 'absent' }, restore: fileState('d', 5) },
    ],
    left_out: [],
    ...change,
  }) as RollbackPlan;
