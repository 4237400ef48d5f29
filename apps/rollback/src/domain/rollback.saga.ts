import { type EventData, leavesSomething, type RollbackCompleted } from '@retrace/contracts';
import type { Decider } from '@retrace/event-sourcing';
import type { Authorization, RollbackPart, RollbackWork } from './rollback-work.js';

/** What the log says, as the saga reads it. `work` is absent where the authorized plan is not to be had any more. */
export type RollbackInput =
  | { readonly type: 'authorized'; readonly authorization: Authorization; readonly work: RollbackWork | undefined }
  | { readonly type: 'part_applied'; readonly part: number }
  | { readonly type: 'part_failed'; readonly part: number; readonly code: string; readonly message: string };

type Report = Pick<EventData<typeof RollbackCompleted>, 'outcome' | 'undone' | 'restored' | 'left_out' | 'failures'>;

export type RollbackEvent =
  | { readonly type: 'accepted'; readonly work: RollbackWork }
  | {
      readonly type: 'step_requested';
      readonly authorization: Authorization;
      /** From 1. */
      readonly part: number;
      readonly parts: number;
      readonly steps: RollbackPart['steps'];
    }
  | { readonly type: 'completed'; readonly authorization: Authorization; readonly report: Report };

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
  if (work) return [{ type: 'accepted', work }, partOrEnd(work, 1)];
  const message = `no plan ${authorization.plan_hash} is kept (for a day, unless it runs); plan again: retrace undo`;
  const failures = [{ part: 1, code: 'unknown_plan', message }];
  const report: Report = { outcome: 'failed', undone: [], restored: [], left_out: [], failures };
  return [{ type: 'completed', authorization, report }];
}

function partOrEnd(work: RollbackWork, part: number): RollbackEvent {
  const { authorization, parts, left_out } = work;
  const steps = parts[part - 1]?.steps;
  if (steps) return { type: 'step_requested', authorization, part, parts: parts.length, steps };
  const outcome = parts.length === 0 ? 'nothing' : leavesSomething(left_out) ? 'partial' : 'undone';
  return { type: 'completed', authorization, report: { outcome, ...reportOf(work, parts), failures: [] } };
}

function stopped(work: RollbackWork, { part, code, message }: RollbackInput & { type: 'part_failed' }): RollbackEvent {
  const { authorization, parts } = work;
  const failures = [{ part, code, message: message.slice(0, MESSAGE_CHARACTERS) }];
  const outcome = part === 1 ? 'failed' : 'partial';
  return {
    type: 'completed',
    authorization,
    report: { outcome, ...reportOf(work, parts.slice(0, part - 1)), failures },
  };
}

/** A logical operation counts as undone once the last of its paths is back. */
const reportOf = (
  { left_out }: RollbackWork,
  applied: readonly RollbackPart[],
): Pick<Report, 'undone' | 'restored' | 'left_out'> => ({
  undone: applied.flatMap(({ finishes }) => finishes),
  restored: [...new Set(applied.flatMap(({ steps }) => steps.map(({ path }) => path)))],
  left_out: [...left_out],
});
