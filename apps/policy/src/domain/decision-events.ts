import {
  type ErrorCode,
  type EventEnvelope,
  IntentDenied,
  type IntentId,
  type LogicalOperationId,
  type SessionId,
} from '@retrace/contracts';
import type { Asked, DecidableIntent, Decision, DecisionEvent } from './decision-input.js';

type Envelope = Pick<
  EventEnvelope,
  'id' | 'source' | 'time' | 'workspace' | 'agent' | 'correlationid' | 'causationid' | 'sessionid' | 'traceparent'
>;

/** W3C; anything else would only be text that a stranger put into a header. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

interface About {
  readonly intent_id: IntentId;
  readonly session_id?: SessionId | undefined;
  readonly traceparent?: string | undefined;
}

/** What every decision says about itself. */
export const envelopeOf = (asked: Asked, { intent_id, session_id, traceparent }: About): Envelope => ({
  id: asked.eventId,
  source: 'retrace/policy',
  time: asked.time,
  workspace: asked.workspace,
  agent: asked.principal,
  correlationid: intent_id,
  causationid: asked.causationId,
  sessionid: session_id,
  traceparent: traceparent !== undefined && TRACEPARENT.test(traceparent) ? traceparent : undefined,
});

export const answeredBy = ({ inSequence, attempt }: Asked, { intent_id }: About) => ({
  intent_id,
  in_sequence: inSequence,
  attempt,
});

export const decided = (event: DecisionEvent): Decision => ({ kind: 'decided', event });

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly rule?: string | undefined;
  readonly policyVersion?: number | undefined;
  readonly path?: string | undefined;
  readonly action?: string | undefined;
  /** The same request may succeed later, sent as a new intent. */
  readonly retryable?: boolean;
}

/** What is known of the refused intent; of a malformed one that is little. */
export interface RefusedIntent extends About {
  readonly type: string;
  /** Of the open logical operation that it was to be a part of. */
  readonly partOf?: LogicalOperationId | undefined;
  readonly reason?: string | undefined;
}

export const denialEvent = (
  asked: Asked,
  intent: RefusedIntent,
  refusal: Refusal,
): EventEnvelope<typeof IntentDenied> => ({
  ...envelopeOf(asked, intent),
  type: IntentDenied.type,
  data: {
    ...answeredBy(asked, intent),
    intent_type: intent.type,
    session_id: intent.session_id ?? null,
    ...(intent.partOf !== undefined && { logical_operation_id: intent.partOf }),
    code: refusal.code,
    message: refusal.message,
    rule: refusal.rule ?? null,
    policy_version: refusal.policyVersion ?? null,
    path: refusal.path ?? null,
    action: refusal.action ?? null,
    reason: intent.reason ?? null,
    retryable: refusal.retryable ?? false,
  },
});

export const describeIntent = (intent: DecidableIntent): RefusedIntent => ({
  type: intent.type,
  intent_id: intent.intent_id,
  session_id: 'session_id' in intent ? intent.session_id : undefined,
  traceparent: intent.traceparent,
  partOf: intent.type === 'operation.apply' ? intent.logical_operation_id : undefined,
  reason: 'reason' in intent ? intent.reason : undefined,
});

export const denied = (asked: Asked, intent: DecidableIntent, refusal: Refusal): Decision =>
  decided(denialEvent(asked, describeIntent(intent), refusal));
