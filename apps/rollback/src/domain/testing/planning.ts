import type { LogicalOperationId, PathState, Selection } from '@retrace/contracts';
import type { PlanBody } from '../plan-hash.js';
import { plan, type PlanContext, type PlanResult } from '../planner.js';
import { context, type HistoryBuilder, sessionOf } from './history-builder.js';

export const bySession = (agent: string): Selection => ({ by: 'session', session_id: sessionOf(agent) });
export const byLop = (logical_operation_id: LogicalOperationId): Selection => ({
  by: 'logical_operation',
  logical_operation_id,
});

export const planned = (result: PlanResult): PlanBody => {
  if (!result.ok) throw new Error(result.code);
  return result.plan;
};
export const planOf = (
  past: HistoryBuilder,
  present: Record<string, PathState>,
  selection: Selection,
  more: Partial<PlanContext> = {},
): PlanBody => planned(plan(past.operations, new Map(Object.entries(present)), selection, { ...context, ...more }));
export const ways = ({ steps }: PlanBody) => steps.map(({ path, expect: from, restore }) => [path, from, restore]);
export const reasons = ({ left_out }: PlanBody) =>
  left_out.map(({ logical_operation_id, path, why, later }) => ({
    logical_operation_id,
    path,
    why,
    later: later?.logical_operation_id,
  }));
