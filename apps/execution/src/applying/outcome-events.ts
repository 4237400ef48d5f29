import {
  IntentStale,
  OperationApplied,
  OperationFailed,
  type OperationRecord,
  type PathState,
  samePathState,
  type UndoCoverage,
} from '@retrace/contracts';
import { deriveId } from '@retrace/event-log';
import type { Authority } from '../domain/authority.js';
import { undoCoverageOf } from '../domain/undo-coverage.js';
import type { Outcome } from '../journal/journal-record.js';
import type { PlannedStep } from './plan-step.js';
import type { RecordParts } from './planned-change.js';
import type { Refusal, Stale } from './refusal.js';
import type { Present } from './simulated-tree.js';

/** The record of each change, complete but for what only the end knows. */
export function recordsOf(authority: Authority, steps: readonly PlannedStep[]): OperationRecord[] {
  return steps.flatMap((planned) => (planned.record ? [recordOf(authority, planned, planned.record)] : []));
}

function recordOf(authority: Authority, planned: PlannedStep, parts: RecordParts): OperationRecord {
  const { step, to, path } = planned;
  const { before } = parts;
  const overFile = before.state.kind === 'file' && to.kind === 'file';
  return {
    operation_id: step.operationId,
    logical_operation_id: authority.logicalOperationId,
    session_id: authority.sessionId,
    agent_id: authority.agent,
    tool: authority.tool,
    model: authority.model,
    action: parts.action,
    path: { typed: parts.typed, canonical: path },
    parameters: {
      content_hash: to.kind === 'file' ? to.hash : null,
      overwrite: before.state.kind !== 'absent' && to.kind !== 'absent' && !samePathState(before.state, to),
      expected_state_hash: expectedHash(parts.expected),
      write_mode: overFile ? (step.inPlace ? 'in_place' : 'replace') : null,
      matches: parts.matches ?? null,
    },
    part_of: parts.partOf ?? null,
    moved_from: parts.movedFrom ?? null,
    moved_to: parts.movedTo ?? null,
    copied_from: parts.copiedFrom ?? null,
    reason: authority.reason,
    provenance: authority.provenance,
    trace_id: authority.traceparent?.split('-')[1] ?? null,
    rollback_instruction: { path, expect: to, restore: before.state },
    state_snapshot_before: { state: before.state, sequence: sequenceOf(before) },
    state_snapshot_after: { state: to, sequence: 'self' },
    decision: parts.decision,
    duration_ms: null,
    undo_coverage: coverageOf(planned, parts),
    compensates: [...(parts.compensates ?? [])],
    notes: [...(parts.notes ?? []), ...sharedNote(step.inPlace, before.stat?.nlink ?? 1)],
  };
}

/** An object that was moved is moved back: nothing of it is lost. What it replaced is made anew. */
function coverageOf({ step, to }: PlannedStep, { before }: RecordParts): UndoCoverage {
  const replaced = step.moved === 'in' && before.state.kind !== 'absent';
  return undoCoverageOf(before.state, {
    removed: to.kind === 'absent' || replaced,
    moved: step.moved === 'out',
    names: before.stat?.nlink ?? 1,
  });
}

/** Bytes written in place show under every name of the file, also outside the workspace. */
const sharedNote = (inPlace: boolean, names: number): string[] =>
  inPlace && names > 1 ? [`the file has ${names} names (hard links); all of them show the new content`] : [];

/** Who left what was found: this event, an earlier one, or nobody on record. */
const sequenceOf = ({ planned, recorded, state }: Present): number | 'self' | null => {
  if (planned) return 'self';
  return recorded && samePathState(recorded.state, state) ? recorded.sequence : null;
};

const expectedHash = (state: PathState | undefined) => (state?.kind === 'file' ? state.hash : null);

export function appliedEvent(authority: Authority, epoch: number, records: readonly OperationRecord[]) {
  return {
    ...envelope(authority),
    id: outcomeId(authority),
    type: OperationApplied.type,
    data: { ...about(authority, epoch), operations: [...records] },
  } satisfies Outcome;
}

export function failedEvent(authority: Authority, epoch: number, refusal: Refusal) {
  return {
    ...envelope(authority),
    id: outcomeId(authority),
    type: OperationFailed.type,
    data: {
      ...about(authority, epoch),
      code: refusal.code,
      message: refusal.message,
      failed_at: refusal.failedAt,
      path: refusal.path,
      expected: refusal.expected,
      found: refusal.found,
      needs_attention: [...refusal.needsAttention],
    },
  } satisfies Outcome;
}

export function staleEvent(authority: Authority, { path, why }: Stale) {
  return {
    ...envelope(authority),
    id: deriveId('evt', authority.eventId, 'stale'),
    type: IntentStale.type,
    data: {
      intent_id: authority.intentId,
      in_sequence: authority.inSequence,
      attempt: authority.attempt,
      logical_operation_id: authority.logicalOperationId,
      paths: [{ path, why }],
    },
  } satisfies Outcome;
}

/** One outcome for one authority, however often it is published. */
const outcomeId = (authority: Authority) => deriveId('evt', authority.eventId, 'outcome');

const envelope = (authority: Authority) => ({
  source: 'retrace/execution',
  time: new Date().toISOString(),
  workspace: authority.workspace,
  agent: authority.agent,
  correlationid: authority.intentId,
  causationid: authority.eventId,
  ...(authority.sessionId === null ? {} : { sessionid: authority.sessionId }),
  ...(authority.traceparent === undefined ? {} : { traceparent: authority.traceparent }),
});

const about = (authority: Authority, epoch: number) => ({
  logical_operation_id: authority.logicalOperationId,
  kind: authority.work.kind,
  intent_id: authority.intentId,
  session_id: authority.sessionId,
  rollback_id: authority.rollbackId,
  part: authority.part,
  authorized_by: { sequence: authority.sequence, event_id: authority.eventId },
  epoch,
});
