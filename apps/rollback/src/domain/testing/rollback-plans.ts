import {
  type LogicalOperationId,
  PrincipalSchema,
  type RollbackPlan,
  RollbackIdSchema,
  IntentIdSchema,
} from '@retrace/contracts';
import type { Authorization } from '../rollback-work.js';
import { absent, context, file, HistoryBuilder, lopId } from './history-builder.js';

const UUID = '00000000-0000-7000-8000-00000000000';

export const authorization: Authorization = {
  workspace: context.workspace,
  agent: PrincipalSchema.parse('writer'),
  traceparent: undefined,
  rollback_id: RollbackIdSchema.parse(`rbk_${UUID}1`),
  logical_operation_id: lopId(0xffff),
  intent_id: IntentIdSchema.parse(`int_${UUID}2`),
  plan_hash: 'a'.repeat(64),
  reason: 'not wanted',
  decision: { policy_version: 1, rule: 'own-rollback' },
};

/** A plan with one new file per logical operation, each of which goes. */
export function planOfFiles(count: number): { plan: RollbackPlan; past: HistoryBuilder } {
  const past = new HistoryBuilder();
  const undoes: LogicalOperationId[] = [];
  for (let i = 0; i < count; i++)
    undoes.push(past.applied('writer', { path: `f${i}`, before: absent, after: file('F') }));
  const steps = past.operations.map(({ path, before, after, operation_id }) => ({
    path,
    expect: after,
    restore: before,
    compensates: [operation_id],
    how: 'restore' as const,
    keeps: [],
  }));
  const plan: RollbackPlan = {
    plan_hash: authorization.plan_hash,
    workspace: context.workspace,
    requested_by: authorization.agent,
    selection: { by: 'logical_operation', logical_operation_id: lopId(1) },
    except: [],
    options: { merge: false, force: false, skip: false, all_or_none: false },
    at_sequence: 7,
    undoes,
    owners: [authorization.agent],
    steps,
    step_count: steps.length,
    left_out: [],
  };
  return { plan, past };
}
