import { type EventData, leavesSomething, type RollbackCompleted } from '@retrace/contracts';
import type { Decider } from '@retrace/event-sourcing';
import type { Authorization, RollbackWork } from './rollback-work.js';

/** What the log says, as the saga reads it. `work` is absent where the authorized plan is not to be had any more. */
export type RollbackInput =
  | { readonly type: 'authorized'; readonly authorization: Authorization; readonly work: RollbackWork | undefined }
  /** There is no way to plan it; `applied`: parts of the way back that were applied before this was known. */
  | {
      readonly type: 'not_planned';
      readonly authorization: Authorization;
      readonly applied: number;
      readonly code: string;
      readonly message: string;
    }
  | { readonly type: 'part_applied'; readonly part: number }
  | { readonly type: 'part_failed'; readonly part: number; readonly code: string; readonly message: string };

type Report = Pick<EventData<typeof RollbackCompleted>, 'outcome' | 'undone' | 'left_out' | 'failures'>;

export type RollbackEvent =
  | { readonly type: 'accepted'; readonly work: RollbackWork }
  | {
      readonly type: 'step_requested';
      readonly authorization: Authorization;
      /** From 1. */
      readonly part: number;
      readonly parts: number;
      /** Its steps are those of this part of the plan, from 0. */
      readonly planPart: number;
    }
  /** `applied`: so many parts of the plan are on the disk. */
  | {
      readonly type: 'completed';
      readonly authorization: Authorization;
      readonly report: Report;
      readonly applied: number;
    };

export type RollbackState =
  | { readonly status: 'idle' }
  /** `next`: the part whose outcome is awaited, from 1. */
  | { readonly status: 'requested'; readonly work: RollbackWork; readonly next: number }
  | { readonly status: 'completed'; readonly outcome: Report['outcome'] };

/** Longer ones are cut: what another service says does not decide how large our report gets. */
const MESSAGE_CHARACTERS = 2000;

/**
 * Runs an authorized plan part by part. A part is asked for only when the one before it was applied; a failed part ends
 * the rollback and is reported. The undo of a rollback is a rollback of its logical operation.
 */
export const rollbackSaga: Decider<RollbackState, RollbackInput, RollbackEvent> = {
  initialState: { status: 'idle' },
  decide,
  evolve,
};

function decide(input: RollbackInput, state: RollbackState): readonly RollbackEvent[] {
  switch (input.type) {
    case 'authorized':
      return state.status === 'idle' ? begin(input) : [];
    case 'not_planned':
      return state.status === 'idle' ? [abandoned(input)] : [];
    case 'part_applied':
      return state.status === 'requested' && input.part === state.next ? [partOrEnd(state.work, state.next + 1)] : [];
    case 'part_failed':
      return state.status === 'requested' && input.part === state.next ? [stopped(state.work, input)] : [];
  }
}

function evolve(state: RollbackState, event: RollbackEvent): RollbackState {
  switch (event.type) {
    case 'accepted':
      return { status: 'requested', work: event.work, next: 1 };
    case 'step_requested':
      return state.status === 'requested' ? { ...state, next: event.part } : state;
    case 'completed':
      return { status: 'completed', outcome: event.report.outcome };
  }
}

function begin({ authorization, work }: RollbackInput & { type: 'authorized' }): readonly RollbackEvent[] {
  if (work) return [{ type: 'accepted', work }, partOrEnd(work, work.applied + 1)];
  const message = `no plan ${authorization.plan_hash} is kept (for a day, unless it runs); plan again: retrace undo`;
  const failures = [{ part: 1, code: 'unknown_plan', message }];
  const report: Report = { outcome: 'failed', undone: [], left_out: [], failures };
  return [{ type: 'completed', authorization, report, applied: 0 }];
}

function abandoned({ authorization, applied, code, message }: RollbackInput & { type: 'not_planned' }): RollbackEvent {
  const failures = [{ part: applied + 1, code, message: message.slice(0, MESSAGE_CHARACTERS) }];
  const outcome = applied === 0 ? 'failed' : 'partial';
  return { type: 'completed', authorization, report: { outcome, undone: [], left_out: [], failures }, applied: 0 };
}

function partOrEnd(work: RollbackWork, part: number): RollbackEvent {
  const { authorization, parts, left_out, applied } = work;
  const planPart = part - applied - 1;
  const all = applied + parts.length;
  if (planPart < parts.length) return { type: 'step_requested', authorization, part, parts: all, planPart };
  const outcome = all === 0 ? 'nothing' : leavesSomething(left_out) ? 'partial' : 'undone';
  const report: Report = { outcome, ...reportOf(work, parts.length), failures: [] };
  return { type: 'completed', authorization, report, applied: parts.length };
}

function stopped(work: RollbackWork, { part, code, message }: RollbackInput & { type: 'part_failed' }): RollbackEvent {
  const { authorization } = work;
  const applied = part - work.applied - 1;
  const failures = [{ part, code, message: message.slice(0, MESSAGE_CHARACTERS) }];
  const outcome = part === 1 ? 'failed' : 'partial';
  return {
    type: 'completed',
    authorization,
    report: { outcome, ...reportOf(work, applied), failures },
    applied,
  };
}

/** A logical operation counts as undone once the last of its paths is back. */
const reportOf = ({ left_out, parts }: RollbackWork, applied: number): Pick<Report, 'undone' | 'left_out'> => ({
  undone: parts.slice(0, applied).flatMap(({ finishes }) => finishes),
  left_out: [...left_out],
});
