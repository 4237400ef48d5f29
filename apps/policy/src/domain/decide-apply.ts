import {
  type ApplyIntent,
  type AuthorizedOperation,
  type BlobHash,
  IntentAuthorized,
  type OperationId,
} from '@retrace/contracts';
import type { Decision, DecisionInput } from './decision-input.js';
import { answeredBy, decided, denied, envelopeOf, type Refusal } from './decision-events.js';
import { ownActiveSession } from './decide-session.js';
import { estimateDecisionBytes, estimateOutcomeBytes, MAX_DECISION_BYTES, MAX_OUTCOME_BYTES } from './estimate-size.js';
import { judgeOperations } from './judge-operations.js';
import { placeOperations } from './place-operations.js';
import type { SessionRow } from './rows.js';

export const MAX_ATTEMPTS = 3;
type Input = DecisionInput<ApplyIntent>;

/** Decides a logical operation: session, ids, paths, rules, size; then, for a first attempt, content. */
export function decideApply(input: Input): Decision {
  const { intent, asked, state, findings } = input;
  const deny = (refusal: Refusal): Decision => denied(asked, intent, refusal);
  if (asked.attempt > MAX_ATTEMPTS) return deny(staleTooOften());
  const own = ownActiveSession(intent.session_id, asked, state);
  if (!own.ok) return deny(own.refusal);
  const duplicate = duplicateOperation(input);
  if (duplicate) return deny(duplicateRefusal(duplicate));
  if (!state.policy) return deny(noPolicy(asked.workspace));
  const placed = placeOperations(intent.operations, findings);
  if (placed.kind === 'refused') return deny(placed.refusal);
  if (placed.kind === 'need_facts')
    return findings.facts === 'unavailable' ? deny(unavailable(asked.workspace)) : placed;
  const judged = judgeOperations(placed.operations, state.policy, state, asked.attempt);
  switch (judged.kind) {
    case 'refused':
      return deny(judged.refusal);
    case 'need_facts':
      return findings.facts === 'unavailable' ? deny(unavailable(asked.workspace)) : { ...judged, follow: false };
    case 'allowed':
      return authorize(input, own.session, judged.operations);
  }
}

function authorize(input: Input, session: SessionRow, operations: AuthorizedOperation[]): Decision {
  const { intent, asked } = input;
  const { session_id, tool = null, reason = null, provenance = {} } = intent;
  const { logicalOperationId: logical_operation_id } = asked;
  const common = { logical_operation_id, session_id, model: session.model, tool, reason, provenance };
  const data = { ...answeredBy(asked, intent), ...common, operations };
  if (estimateDecisionBytes(data) > MAX_DECISION_BYTES || estimateOutcomeBytes(intent, operations) > MAX_OUTCOME_BYTES)
    return denied(asked, intent, tooLarge(operations.length));
  return contentOf(input) ?? decided({ ...envelopeOf(asked, intent), type: IntentAuthorized.type, data });
}

/** Content is looked for last and once: a later attempt names the same blobs. */
function contentOf({ intent, asked, findings }: Input): Decision | undefined {
  const hashes = contentHashes(intent);
  if (asked.attempt > 1 || hashes.length === 0) return undefined;
  const { blobs } = findings;
  if (blobs === undefined) return { kind: 'need_blobs', hashes };
  if (blobs === 'unavailable') return denied(asked, intent, unavailable(asked.workspace));
  const [missing] = hashes.filter((hash) => blobs.missing.includes(hash));
  return missing === undefined ? undefined : denied(asked, intent, contentMissing(intent, missing));
}

export const contentHashes = ({ operations }: ApplyIntent): BlobHash[] => [
  ...new Set(operations.flatMap((operation) => ('content_hash' in operation ? [operation.content_hash] : []))),
];

/** An id names one operation for ever; a later attempt of the same intent keeps its own. */
function duplicateOperation({ intent, state }: Input): OperationId | undefined {
  const ids = intent.operations.map(({ operation_id }) => operation_id);
  return ids.find((id, index) => {
    const spentBy = state.spentBy(id);
    return ids.indexOf(id) !== index || (spentBy !== undefined && spentBy !== intent.intent_id);
  });
}

const duplicateRefusal = (id: OperationId): Refusal => ({
  code: 'duplicate_operation_id',
  message: `${id} names another operation already; give each operation an id of its own`,
});

const noPolicy = (workspace: string): Refusal => ({
  code: 'no_policy',
  message: `${workspace} has no policy, so nothing is allowed. An operator publishes one: retrace policy publish team --workspace ${workspace}`,
});

const tooLarge = (count: number): Refusal => ({
  code: 'intent_too_large',
  message: `the record of ${count} operations would not fit one event; split them into several intents`,
});

const staleTooOften = (): Refusal => ({
  code: 'stale_too_often',
  message: `the paths changed under ${MAX_ATTEMPTS} decisions in a row; look at them again and send a new intent`,
  retryable: true,
});

const unavailable = (workspace: string): Refusal => ({
  code: 'workspace_unavailable',
  message: `the services that hold ${workspace} do not answer; see: retrace status. Send a new intent once they do`,
  retryable: true,
});

function contentMissing({ operations }: ApplyIntent, hash: BlobHash): Refusal {
  const operation = operations.find((candidate) => 'content_hash' in candidate && candidate.content_hash === hash);
  return {
    code: 'content_missing',
    message: `${operation?.path}: its content ${hash.slice(0, 12)}… was not uploaded in time; upload it and send a new intent`,
    path: operation?.path,
    action: operation?.action,
    retryable: true,
  };
}
