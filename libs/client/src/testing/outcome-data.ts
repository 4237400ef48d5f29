import {
  ABSENT,
  type EventData,
  type IntentDenied,
  type OperationApplied,
  type OperationFailed,
  type OperationRecord,
  type RollbackCompleted,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { PathState, Principal, WorkspacePath } from '@retrace/contracts';

/** Data of outcome events for specs, complete as the contract wants it. */
export const deniedData = (change: Partial<EventData<typeof IntentDenied>> = {}): EventData<typeof IntentDenied> => ({
  intent_id: newId('int'),
  in_sequence: 1,
  attempt: 1,
  intent_type: 'operation.apply',
  session_id: null,
  code: 'rule_denies',
  message: 'src/a.ts: rule no-sources forbids overwrite',
  rule: 'no-sources',
  policy_version: 3,
  path: 'src/a.ts',
  action: 'write',
  reason: null,
  retryable: false,
  ...change,
});

const common = () => ({
  logical_operation_id: newId('lop'),
  kind: 'operation' as const,
  intent_id: newId('int'),
  session_id: newId('ses'),
  rollback_id: null,
  part: 1,
  authorized_by: { sequence: 1, event_id: newId('evt') },
  epoch: 1,
});

export const recordOf = (change: Partial<OperationRecord> = {}): OperationRecord => ({
  operation_id: newId('op'),
  logical_operation_id: newId('lop'),
  session_id: null,
  agent_id: 'writer' as Principal,
  tool: null,
  model: null,
  action: 'create',
  path: { typed: 'docs/a.md', canonical: 'docs/a.md' as WorkspacePath },
  parameters: { content_hash: null, overwrite: false, expected_state_hash: null, write_mode: null, matches: null },
  part_of: null,
  moved_from: null,
  moved_to: null,
  copied_from: null,
  reason: null,
  provenance: {},
  trace_id: null,
  rollback_instruction: { path: 'docs/a.md' as WorkspacePath, expect: fileState('a'), restore: ABSENT },
  state_snapshot_before: { state: ABSENT, sequence: null },
  state_snapshot_after: { state: fileState('a'), sequence: 'self' },
  decision: { policy_version: 1, rule: 'notes' },
  duration_ms: 1,
  undo_coverage: { undoable: true, restores: ['content', 'existence'], lost: [] },
  compensates: [],
  notes: [],
  ...change,
});

export const fileState = (hexDigit: string, size = 1): PathState =>
  ({ kind: 'file', hash: hexDigit.repeat(64), size, mode: 0o644 }) as PathState;

export const appliedData = (
  change: Partial<EventData<typeof OperationApplied>> = {},
): EventData<typeof OperationApplied> => ({ ...common(), operations: [recordOf()], ...change });

export const failedData = (
  change: Partial<EventData<typeof OperationFailed>> = {},
): EventData<typeof OperationFailed> => ({
  ...common(),
  code: 'expected_mismatch',
  message: 'docs/a.md: expected a, found b',
  failed_at: 0,
  path: 'docs/a.md',
  expected: fileState('a'),
  found: fileState('b'),
  needs_attention: [],
  ...change,
});

export const rollbackData = (
  change: Partial<EventData<typeof RollbackCompleted>> = {},
): EventData<typeof RollbackCompleted> => ({
  rollback_id: newId('rbk'),
  logical_operation_id: newId('lop'),
  intent_id: newId('int'),
  plan_hash: '0'.repeat(64),
  outcome: 'undone',
  undone: [newId('lop')],
  restored: ['docs/a.md'],
  merged: [],
  forced: [],
  left_out: [],
  failures: [],
  ...change,
});
