import {
  AccessRefused,
  type EventData,
  IntentAuthorized,
  IntentDenied,
  IntentStale,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationOpened,
  MemberAdded,
  MessageRejected,
  OperationApplied,
  OperationFailed,
  PolicyPublished,
  RollbackAuthorized,
  RollbackCompleted,
  RollbackStepRequested,
  SessionCompleted,
  SessionOpened,
  type StoredEvent,
  WorkspaceBaselined,
  WorkspaceRegistered,
} from '@retrace/contracts';
import { ABSENT, BlobHashSchema, type PathState, type RecordedAction, WorkspacePathSchema } from '@retrace/contracts';
import { ann, type At, id, operator, stored } from './stored.js';

type Some<D extends Parameters<typeof stored>[0]> = Partial<EventData<D>>;

/** A file whose content is told by a number. */
export const file = (content: number): PathState => ({
  kind: 'file',
  hash: BlobHashSchema.parse(content.toString(16).padStart(64, '0')),
  size: content,
  mode: 0o644,
});

const path = (typed: string) => WorkspacePathSchema.parse(typed);
const decision = { policy_version: 1, rule: 'allow src' };
const pin = { kind: 'any' as const };
/** The intent, logical operation, session and so on number `n`; attempt 1. */
const answered = (n: number) => ({ intent_id: id('int', n), in_sequence: n, attempt: 1 });

export const workspaceRegistered = (at: At, some: Some<typeof WorkspaceRegistered> = {}) =>
  stored(WorkspaceRegistered, { root: '/srv/shop', host: 'one', registered_by: operator, ...some }, at);

export const policyPublished = (version: number, at: At) =>
  stored(PolicyPublished, { version, name: `policy-${version}`, yaml: 'rules: []', published_by: operator }, at);

export const memberAdded = (member: EventData<typeof MemberAdded>['member'], at: At) =>
  stored(MemberAdded, { member, added_by: operator }, at);

export const sessionOpened = (n: number, at: At) =>
  stored(
    SessionOpened,
    {
      ...answered(n),
      session_id: id('ses', n),
      agent: at.agent ?? ann,
      task: `task ${n}`,
      conversation_id: null,
      model: { id: 'model' },
    },
    at,
  );

export const sessionCompleted = (n: number, at: At) =>
  stored(SessionCompleted, { ...answered(n + 1_000_000), session_id: id('ses', n) }, at);

export const denied = (n: number, at: At, some: Some<typeof IntentDenied> = {}) =>
  stored(
    IntentDenied,
    {
      ...answered(n),
      intent_type: 'operation.apply',
      session_id: id('ses', 1),
      code: 'rule_denies',
      message: 'not there',
      rule: 'deny secrets',
      policy_version: 1,
      path: './secrets/key',
      action: 'create',
      reason: 'needed',
      retryable: false,
      ...some,
    },
    at,
  );

export interface Op {
  readonly n: number;
  readonly path: string;
  readonly to: PathState;
  readonly from?: PathState;
  readonly compensates?: readonly number[];
  /** Number of the asked operation that it is a part of. */
  readonly partOf?: number;
  readonly movedFrom?: string;
  readonly movedTo?: string;
  readonly copiedFrom?: string;
  /** What the record says was done; `write` or `restore` unless said. */
  readonly action?: RecordedAction;
  /** What the request says; `mkdir` unless said. */
  readonly asks?: 'mkdir' | 'move';
}

export const authorized = (n: number, ops: readonly Op[], at: At, some: Some<typeof IntentAuthorized> = {}) =>
  stored(
    IntentAuthorized,
    {
      ...answered(n),
      logical_operation_id: id('lop', n),
      session_id: id('ses', 1),
      model: null,
      tool: 'write_file',
      reason: 'asked for',
      provenance: {},
      open: false,
      part: 1,
      operations: ops.map((op) => ({
        request: requestOf(op),
        ...(op.asks === 'move' && {
          source: { canonical: path(op.movedFrom!), class: 'move' as const, pin, decision },
        }),
        ...(op.partOf !== undefined && { part_of: id('op', op.partOf) }),
        canonical: path(op.path),
        class: 'create' as const,
        pin,
        decision,
      })),
      ...some,
    },
    at,
  );

const requestOf = ({ n, asks, movedFrom, path: typed }: Op) =>
  asks === 'move'
    ? { operation_id: id('op', n), action: 'move' as const, path: movedFrom!, to: typed }
    : { operation_id: id('op', n), action: 'mkdir' as const, path: typed };

export const stale = (n: number, at: At, some: Some<typeof IntentStale> = {}) =>
  stored(
    IntentStale,
    { ...answered(n), logical_operation_id: id('lop', n), paths: [{ path: 'a', why: 'moved' }], ...some },
    at,
  );

const outcome = (n: number) => ({
  logical_operation_id: id('lop', n),
  kind: 'operation' as const,
  intent_id: id('int', n),
  session_id: id('ses', 1),
  rollback_id: null,
  part: 1,
  authorized_by: { sequence: 1, event_id: id('evt', 1) },
  epoch: 1,
});

/** Parts of a rollback carry no session. */
export const asRollback = (n: number, part = 1) => ({
  kind: 'rollback' as const,
  session_id: null,
  rollback_id: id('rbk', n),
  part,
});

export const applied = (n: number, ops: readonly Op[], at: At, some: Some<typeof OperationApplied> = {}) =>
  stored(
    OperationApplied,
    { ...outcome(n), operations: ops.map((op) => record(n, op, at, some.kind === 'rollback')), ...some },
    at,
  );

const optional = (typed: string | undefined) => (typed === undefined ? null : path(typed));

function record(n: number, op: Op, at: At, compensation: boolean) {
  const from = op.from ?? ABSENT;
  return {
    operation_id: id('op', op.n),
    logical_operation_id: id('lop', n),
    session_id: compensation ? null : id('ses', 1),
    agent_id: at.agent ?? ann,
    tool: compensation ? null : 'write_file',
    model: null,
    action: op.action ?? (compensation ? ('restore' as const) : ('write' as const)),
    path: { typed: op.path, canonical: path(op.path) },
    parameters: { content_hash: null, overwrite: false, expected_state_hash: null, write_mode: null, matches: null },
    part_of: op.partOf === undefined ? null : id('op', op.partOf),
    moved_from: optional(op.movedFrom),
    moved_to: optional(op.movedTo),
    copied_from: optional(op.copiedFrom),
    reason: 'asked for',
    provenance: {},
    trace_id: null,
    rollback_instruction: { path: path(op.path), expect: op.to, restore: from },
    state_snapshot_before: { state: from, sequence: null },
    state_snapshot_after: { state: op.to, sequence: 'self' as const },
    decision,
    duration_ms: 1,
    undo_coverage: { undoable: true, restores: ['content' as const], lost: [] },
    compensates: (op.compensates ?? []).map((number) => id('op', number)),
    notes: [],
  };
}

export const failed = (n: number, at: At, some: Some<typeof OperationFailed> = {}) =>
  stored(
    OperationFailed,
    {
      ...outcome(n),
      code: 'exists',
      message: 'something stands there',
      failed_at: 0,
      path: null,
      expected: null,
      found: null,
      needs_attention: [],
      ...some,
    },
    at,
  );

const plan_hash = 'a'.repeat(64);

export const rollbackAuthorized = (n: number, at: At) =>
  stored(
    RollbackAuthorized,
    {
      ...answered(n),
      rollback_id: id('rbk', n),
      logical_operation_id: id('lop', n),
      plan_hash,
      requested_by: at.agent ?? ann,
      reason: 'undo',
      decision,
    },
    at,
  );

export const stepRequested = (n: number, part: number, ops: readonly Op[], at: At) =>
  stored(
    RollbackStepRequested,
    {
      rollback_id: id('rbk', n),
      logical_operation_id: id('lop', n),
      intent_id: id('int', n),
      part,
      parts: 2,
      reason: 'undo',
      decision,
      steps: ops.map((op) => ({
        operation_id: id('op', op.n),
        compensates: (op.compensates ?? []).map((number) => id('op', number)),
        path: path(op.path),
        expect: op.from ?? ABSENT,
        restore: op.to,
        how: 'restore' as const,
        keeps: [],
      })),
    },
    at,
  );

export const rollbackCompleted = (n: number, at: At, some: Some<typeof RollbackCompleted> = {}) =>
  stored(
    RollbackCompleted,
    {
      rollback_id: id('rbk', n),
      logical_operation_id: id('lop', n),
      intent_id: id('int', n),
      plan_hash,
      outcome: 'undone',
      undone: [],
      restored: [],
      merged: [],
      forced: [],
      left_out: [],
      failures: [],
      ...some,
    },
    at,
  );

export const rejected = (at: At): StoredEvent<typeof MessageRejected> =>
  stored(
    MessageRejected,
    {
      service: 'policy',
      stream: 'RETRACE_IN',
      sequence: 7,
      subject: 'retrace.intent.shop.ann',
      rejected_event_id: null,
      reason: 'bad_json',
      message: 'the body is no JSON',
    },
    at,
  );

/** Opens the logical operation number `n`; the intents of its end have numbers of their own. */
export const opened = (n: number, at: At) =>
  stored(
    LogicalOperationOpened,
    {
      ...answered(n),
      logical_operation_id: id('lop', n),
      session_id: id('ses', 1),
      reason: 'large change',
      timeout_ms: 1000,
    },
    at,
  );

export const committed = (n: number, at: At) =>
  stored(
    LogicalOperationCommitted,
    { ...answered(n + 2_000_000), logical_operation_id: id('lop', n), session_id: id('ses', 1) },
    at,
  );

/** `by`: number of the rollback that takes it back, and of its logical operation. */
export const aborted = (n: number, by: number, at: At) =>
  stored(
    LogicalOperationAborted,
    {
      ...answered(by),
      logical_operation_id: id('lop', n),
      session_id: id('ses', 1),
      why: 'requested',
      reason: 'changed my mind',
      rollback_id: id('rbk', by),
      rollback_logical_operation_id: id('lop', by),
    },
    at,
  );

export const baselined = (at: At, some: Some<typeof WorkspaceBaselined> = {}) =>
  stored(
    WorkspaceBaselined,
    {
      manifest_hash: BlobHashSchema.parse('b'.repeat(64)),
      manifest_size: 100,
      files: 2,
      directories: 1,
      links: 0,
      bytes: 5_000_000_000,
      ignored: { rules: ['.gitignore'], entries: 4 },
      skipped: [{ path: 'pipe', why: 'fifo' }],
      skipped_count: 1,
      ...some,
    },
    at,
  );

export const accessRefused = (at: At) =>
  stored(AccessRefused, { path: 'secret', code: 'rule_denies', rule: null, message: 'no' }, at);
