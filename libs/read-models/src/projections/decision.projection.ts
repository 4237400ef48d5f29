import { canonicalPath, type IntentAuthorized, type IntentDenied, type StoredEvent } from '@retrace/contracts';
import type { DecisionEntity } from '../entities/decision.entity.js';
import type { RowOf } from '../entities/row-of.js';

type Row = RowOf<DecisionEntity>;

/** Of all decisions for one attempt the first counts. */
export function authorized(row: Row | undefined, event: StoredEvent<typeof IntentAuthorized>): Row {
  if (row) return row;
  const { data } = event;
  return {
    ...common(event),
    outcome: 'authorized',
    intentType: 'operation.apply',
    logicalOperationId: data.logical_operation_id,
    code: null,
    message: null,
    rule: data.operations[0]!.decision.rule,
    policyVersion: data.operations[0]!.decision.policy_version,
    path: null,
    action: null,
  };
}

/** Of all decisions for one attempt the first counts. */
export function denied(row: Row | undefined, event: StoredEvent<typeof IntentDenied>): Row {
  if (row) return row;
  const { data } = event;
  return {
    ...common(event),
    outcome: 'denied',
    intentType: data.intent_type,
    logicalOperationId: null,
    code: data.code,
    message: data.message,
    rule: data.rule,
    policyVersion: data.policy_version,
    path: data.path === null ? null : oneSpelling(data.path),
    action: data.action,
  };
}

function common({
  workspace,
  agent,
  sequence,
  time,
  data,
}: StoredEvent<typeof IntentAuthorized | typeof IntentDenied>) {
  const { intent_id: intentId, attempt, session_id: sessionId, reason } = data;
  return { workspace, agent, intentId, attempt, sessionId, sequence, time, timeMs: Date.parse(time), reason };
}

/** A denied path may have none: then it stays as it was typed. */
function oneSpelling(typed: string): string {
  const canonical = canonicalPath(typed);
  return canonical.ok ? canonical.path : typed;
}
