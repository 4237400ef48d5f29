import { z } from 'zod';
import { IntentIdSchema, OperationIdSchema, SessionIdSchema } from './ids.js';
import { OperationRequestSchema } from './operation-request.js';

/** More belong in several intents; a decision and its outcome must each fit one message. */
export const MAX_OPERATIONS_PER_INTENT = 256;
/** Bytes of one intent on the bus; content travels as blobs. */
export const MAX_INTENT_BYTES = 256 * 1024;

const text = (max: number) => z.string().max(max);

export const ModelSchema = z.object({ id: text(200), version: text(200).optional() });

/** Where the request came from; recorded with each operation. */
export const ProvenanceSchema = z.object({
  parent_operation: OperationIdSchema.optional(),
  user_intent: text(2000).optional(),
  ticket: text(200).optional(),
});
export type Provenance = z.infer<typeof ProvenanceSchema>;

const common = { intent_id: IntentIdSchema, traceparent: text(200).optional() };

export const OpenSessionIntentSchema = z.object({
  ...common,
  type: z.literal('session.open'),
  session_id: SessionIdSchema,
  task: text(4000),
  conversation_id: text(200).optional(),
  model: ModelSchema.optional(),
});

export const CompleteSessionIntentSchema = z.object({
  ...common,
  type: z.literal('session.complete'),
  session_id: SessionIdSchema,
});

/** One logical operation: all of its operations are applied, or none. */
export const ApplyIntentSchema = z.object({
  ...common,
  type: z.literal('operation.apply'),
  session_id: SessionIdSchema,
  tool: text(200).optional(),
  reason: text(2000).optional(),
  provenance: ProvenanceSchema.optional(),
  operations: z.array(OperationRequestSchema).min(1).max(MAX_OPERATIONS_PER_INTENT),
});

/** Takes back an intent that is not yet decided. */
export const WithdrawIntentSchema = z.object({
  ...common,
  type: z.literal('withdraw'),
  withdrawn_intent_id: IntentIdSchema,
});

/** Runs the plan with this hash, and only that plan. */
export const RollbackIntentSchema = z.object({
  ...common,
  type: z.literal('rollback'),
  plan_hash: z.string().regex(/^[0-9a-f]{64}$/),
  reason: text(2000).optional(),
});

export const IntentSchema = z.discriminatedUnion('type', [
  OpenSessionIntentSchema,
  CompleteSessionIntentSchema,
  ApplyIntentSchema,
  WithdrawIntentSchema,
  RollbackIntentSchema,
]);
export type Intent = z.infer<typeof IntentSchema>;
export type ApplyIntent = z.infer<typeof ApplyIntentSchema>;
export type OpenSessionIntent = z.infer<typeof OpenSessionIntentSchema>;
export type CompleteSessionIntent = z.infer<typeof CompleteSessionIntentSchema>;
export type RollbackIntent = z.infer<typeof RollbackIntentSchema>;
export type WithdrawIntent = z.infer<typeof WithdrawIntentSchema>;
