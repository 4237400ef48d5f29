import type { IntentId, LogicalOperationId, Principal, RollbackId, SessionId, WorkspaceName } from '@retrace/contracts';
import { OutcomeEntity } from '../entities/outcome.entity.js';
import type { Rows } from './rows.js';

interface About<Data> {
  readonly workspace: WorkspaceName;
  readonly agent: Principal;
  readonly data: Data;
}

export const sessionKey = ({ workspace, data }: About<{ session_id: SessionId }>) => ({
  workspace,
  sessionId: data.session_id,
});

export const rollbackKey = ({ workspace, data }: About<{ rollback_id: RollbackId }>) => ({
  workspace,
  rollbackId: data.rollback_id,
});

export const logicalOperationKey = ({ workspace, data }: About<{ logical_operation_id: LogicalOperationId }>) => ({
  workspace,
  logicalOperationId: data.logical_operation_id,
});

/** Intent ids are minted by agents: two agents may use the same one. */
export const denialKey = ({ workspace, agent, data }: About<{ intent_id: IntentId; attempt: number }>) => ({
  workspace,
  agent,
  intentId: data.intent_id,
  attempt: data.attempt,
});

export const outcomeKey = ({ workspace, agent, data }: About<{ intent_id: IntentId }>) => ({
  workspace,
  agent,
  intentId: data.intent_id,
});

export const outcomeOf = (
  rows: Rows,
  event: About<{ intent_id: IntentId }>,
  fold: (row: OutcomeEntity | undefined) => OutcomeEntity | undefined,
): Promise<void> => rows.change(OutcomeEntity, outcomeKey(event), fold);
