import {
  BlobHashSchema,
  type LogicalOperationId,
  type OperationId,
  type PathState,
  type RollbackOptions,
  type Selection,
} from '@retrace/contracts';
import { mergeTexts } from '../../planning/text-merge.js';
import { pathGlob } from '@retrace/path-globs';
import { History } from '../history.js';
import type { IndexedOperation } from '../operation-index.js';
import type { PlanBody } from '../plan-hash.js';
import { plan, type PlanContext, type PlanRequest, type PlanResult } from '../planner.js';
import { type Resolved, selectFrom, unitSize } from '../selecting.js';
import type { MergeOutcome, MergeRequest } from '../state-merge.js';
import { context, file, type HistoryBuilder, sessionOf, textOf } from './history-builder.js';

export const bySession = (agent: string): Resolved => ({ by: 'session', session_id: sessionOf(agent) });
export const byLop = (logical_operation_id: LogicalOperationId): Resolved => ({
  by: 'logical_operation',
  logical_operation_id,
});

export const NO_OPTIONS: RollbackOptions = { merge: false, force: false, skip: false, all_or_none: false };

export interface Asked {
  readonly options?: Partial<RollbackOptions>;
  readonly except?: readonly Resolved[];
}

/** What a selection comes to over a whole history. */
export function requestFor(
  history: readonly IndexedOperation[],
  selection: Resolved,
  { options, except = [] }: Asked = {},
): PlanRequest {
  const selected = new Set<OperationId>(selectFrom(history, selection, pathGlob));
  const spared = new Set(except.flatMap((each) => [...selectFrom(history, each, pathGlob)]));
  for (const id of spared) selected.delete(id);
  return { selection, except, options: { ...NO_OPTIONS, ...options }, selected, spared, size: unitSize(selection) };
}

/** Plans, and merges what the plan asks for, until there is an answer. */
export function planFor(
  history: readonly IndexedOperation[],
  present: ReadonlyMap<string, PathState>,
  request: PlanRequest,
  given: PlanContext = context,
): PlanResult {
  const past = new History(history);
  const merges = new Map<string, MergeOutcome>();
  for (;;) {
    const result = plan(past, present, request, { ...given, merges });
    if (result.status !== 'merges_needed') return result;
    for (const merge of result.merges) merges.set(merge.key, merged(merge));
  }
}

function merged({ base, ours, theirs }: MergeRequest): MergeOutcome {
  const bytesOf = (state: { hash: string }) => Buffer.from(textOf(state));
  const outcome = mergeTexts({ base: bytesOf(base), ours: bytesOf(ours), theirs: bytesOf(theirs) });
  if (!outcome.ok) return outcome;
  const state = file(Buffer.from(outcome.bytes).toString());
  return { ok: true, hash: BlobHashSchema.parse(state.kind === 'file' && state.hash), size: outcome.bytes.length };
}

export const planned = (result: PlanResult): PlanBody => {
  if (result.status !== 'planned') throw new Error(result.status === 'refused' ? result.code : result.status);
  return result.plan;
};
export const planOf = (
  past: HistoryBuilder,
  present: Record<string, PathState>,
  selection: Resolved,
  { options = {}, except = [], ...more }: Partial<PlanContext> & Asked = {},
): PlanBody =>
  planned(
    planFor(
      past.operations,
      new Map(Object.entries(present)),
      requestFor(past.operations, selection, { options, except }),
      { ...context, ...more },
    ),
  );
export const ways = ({ steps }: PlanBody) => steps.map(({ path, expect: from, restore }) => [path, from, restore]);
export const reasons = ({ left_out }: PlanBody) =>
  left_out.map(({ logical_operation_id, path, why, later }) => ({
    logical_operation_id,
    path,
    why,
    later: later?.logical_operation_id,
  }));
export const selectionOf = (selection: Selection): Resolved => {
  if (selection.by === 'step') throw new Error('a step is resolved by the index');
  return selection;
};
