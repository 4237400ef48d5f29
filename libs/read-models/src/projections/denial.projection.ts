import { canonicalPath, type IntentDenied, type StoredEvent } from '@retrace/contracts';
import type { DenialEntity } from '../entities/denial.entity.js';
import type { OutcomeEntity } from '../entities/outcome.entity.js';
import type { RowOf } from '../entities/row-of.js';

/** Of all decisions for one attempt the first counts. `outcome`: of the intent, as it was before the event. */
export function denied(
  row: RowOf<DenialEntity> | undefined,
  outcome: Pick<OutcomeEntity, 'attempt'> | undefined,
  { workspace, agent, sequence, time, data }: StoredEvent<typeof IntentDenied>,
): RowOf<DenialEntity> | undefined {
  if (row || (outcome && outcome.attempt >= data.attempt)) return row;
  return {
    workspace,
    agent,
    intentId: data.intent_id,
    attempt: data.attempt,
    intentType: data.intent_type,
    sessionId: data.session_id,
    sequence,
    time,
    timeMs: Date.parse(time),
    code: data.code,
    message: data.message,
    rule: data.rule,
    policyVersion: data.policy_version,
    path: data.path === null ? null : oneSpelling(data.path),
    action: data.action,
    reason: data.reason,
  };
}

/** A denied path may have none: then it stays as it was typed. */
function oneSpelling(typed: string): string {
  const canonical = canonicalPath(typed);
  return canonical.ok ? canonical.path : typed;
}
