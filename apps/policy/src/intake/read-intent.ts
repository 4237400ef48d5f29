import {
  type Intent,
  type IntentId,
  IntentIdSchema,
  IntentSchema,
  LogicalOperationIdSchema,
  MAX_INTENT_BYTES,
  parseIntentSubject,
  parseSafely,
  SessionIdSchema,
} from '@retrace/contracts';
import { z } from 'zod';
import type { RefusedIntent, Refusal } from '../domain/decision-events.js';
import type { Sender } from './held-intent.js';
import { problemOfIds } from './minted-ids.js';

/** `unreadable`: nobody can be answered. */
export type ReadIntent =
  | { readonly kind: 'intent'; readonly sender: Sender; readonly intent: Intent }
  | { readonly kind: 'malformed'; readonly sender: Sender; readonly intent: RefusedIntent; readonly refusal: Refusal }
  | { readonly kind: 'unreadable'; readonly reason: 'bad_subject' | 'malformed_intent'; readonly message: string };

const MAX_PROBLEM = 2000;

/** Reads a message of the agents' door. Who sent it is in the subject alone. Never throws. */
export function readIntent(subject: string, body: Uint8Array): ReadIntent {
  const sender = parseIntentSubject(subject);
  if (!sender)
    return { kind: 'unreadable', reason: 'bad_subject', message: `${subject} names no workspace and principal` };
  const json = parseJson(body);
  const parsed = parseSafely(IntentSchema, json);
  const refusal = refusalOf(parsed, body.length);
  if (!refusal && parsed.success) return { kind: 'intent', sender, intent: parsed.data };
  const intent = describe(json);
  if (!intent || !refusal)
    return { kind: 'unreadable', reason: 'malformed_intent', message: 'no JSON object with an intent_id' };
  return { kind: 'malformed', sender, intent, refusal };
}

function refusalOf(parsed: z.ZodSafeParseResult<Intent>, size: number): Refusal | undefined {
  if (!parsed.success) return malformed(z.prettifyError(parsed.error));
  if (size > MAX_INTENT_BYTES) return tooLarge(size);
  const problem = problemOfIds(parsed.data);
  return problem === undefined ? undefined : malformed(problem);
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  } catch {
    return undefined;
  }
}

/** Of a malformed intent only what has its proper form is repeated. */
function describe(json: unknown): RefusedIntent | undefined {
  const fields = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;
  const id = parseSafely(IntentIdSchema, fields.intent_id);
  if (!id.success) return undefined;
  const session = parseSafely(SessionIdSchema, fields.session_id);
  const partOf = parseSafely(LogicalOperationIdSchema, fields.logical_operation_id);
  return {
    intent_id: id.data satisfies IntentId,
    type: typeOf(fields.type),
    ...(session.success && { session_id: session.data }),
    // What a part asked for is not applied, so the whole lacks it.
    ...(fields.type === 'operation.apply' && partOf.success && { partOf: partOf.data }),
  };
}

const TYPES: readonly string[] = IntentSchema.options.map(({ shape }) => shape.type.value);
const typeOf = (type: unknown): string => (typeof type === 'string' && TYPES.includes(type) ? type : 'unknown');

function malformed(text: string): Refusal {
  const shown = text.length > MAX_PROBLEM ? `${text.slice(0, MAX_PROBLEM)}…` : text;
  return {
    code: 'malformed_intent',
    message: `the intent is not of the contract's form; correct it and send a new one:\n${shown}`,
  };
}

const tooLarge = (size: number): Refusal => ({
  code: 'intent_too_large',
  message: `the intent has ${size} bytes, at most ${MAX_INTENT_BYTES} are taken; split it into several`,
});
