import { z } from 'zod';
import { IntentIdSchema, LogicalOperationIdSchema, OperationIdSchema, SessionIdSchema } from './ids.js';
import { OperationRequestSchema } from './operation-request.js';
import { BlobHashSchema } from './path-state.js';

/** Operations that an intent lists itself; more travel as a blob that it names. */
export const MAX_OPERATIONS_PER_INTENT = 256;
/** Operations that one intent asks for at most. */
export const MAX_OPERATIONS_PER_LOGICAL_OPERATION = 10_000;
/** Authorized operations at most, parts included: 10,000 files with the folders that hold them. */
export const MAX_PATHS_PER_LOGICAL_OPERATION = 25_000;
/** Bytes of a blob of operations. */
export const MAX_OPERATIONS_BLOB_BYTES = 16 * 1024 * 1024;
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

/** Travels on in a header of the events, so it is what a header can hold. */
const TraceparentSchema = z
  .string()
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'printable ASCII without blanks');

const common = { intent_id: IntentIdSchema, traceparent: TraceparentSchema.optional() };

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

/** The operations of an intent as a blob: a JSON array of {@link OperationRequestSchema}, uploaded by who sends the intent. */
export const OperationsBlobSchema = z.object({
  hash: BlobHashSchema,
  size: z.int().min(2).max(MAX_OPERATIONS_BLOB_BYTES),
  count: z.int().min(1).max(MAX_OPERATIONS_PER_LOGICAL_OPERATION),
});

/** One logical operation, or a part of an open one: all of its operations are applied, or none. */
export const ApplyIntentSchema = z
  .object({
    ...common,
    type: z.literal('operation.apply'),
    session_id: SessionIdSchema,
    /** Of a logical operation that this session opened. Absent: the intent is one of its own. */
    logical_operation_id: LogicalOperationIdSchema.optional(),
    tool: text(200).optional(),
    reason: text(2000).optional(),
    provenance: ProvenanceSchema.optional(),
    /** Empty where `operations_blob` holds them. */
    operations: z.array(OperationRequestSchema).max(MAX_OPERATIONS_PER_INTENT),
    operations_blob: OperationsBlobSchema.optional(),
  })
  .refine(({ operations, operations_blob }) => operations.length > 0 !== (operations_blob !== undefined), {
    path: ['operations'],
    message: 'give operations, or a blob that holds them: one of the two, and at least one operation',
  });

/**
 * Begins a logical operation that several intents fill. Each is applied when it is decided; `operation.commit` makes
 * them one whole, `operation.abort`, or no end within `timeout_ms`, takes all of them back.
 */
export const OpenOperationIntentSchema = z.object({
  ...common,
  type: z.literal('operation.open'),
  session_id: SessionIdSchema,
  logical_operation_id: LogicalOperationIdSchema,
  reason: text(2000).optional(),
  /** Milliseconds from its opening; 15 minutes unless said. */
  timeout_ms: z
    .int()
    .min(1000)
    .max(24 * 3600 * 1000)
    .optional(),
});

export const CommitOperationIntentSchema = z.object({
  ...common,
  type: z.literal('operation.commit'),
  session_id: SessionIdSchema,
  logical_operation_id: LogicalOperationIdSchema,
});

export const AbortOperationIntentSchema = z.object({
  ...common,
  type: z.literal('operation.abort'),
  session_id: SessionIdSchema,
  logical_operation_id: LogicalOperationIdSchema,
  reason: text(2000).optional(),
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
  OpenOperationIntentSchema,
  CommitOperationIntentSchema,
  AbortOperationIntentSchema,
  WithdrawIntentSchema,
  RollbackIntentSchema,
]);
export type Intent = z.infer<typeof IntentSchema>;
export type ApplyIntent = z.infer<typeof ApplyIntentSchema>;
export type OpenOperationIntent = z.infer<typeof OpenOperationIntentSchema>;
export type CommitOperationIntent = z.infer<typeof CommitOperationIntentSchema>;
export type AbortOperationIntent = z.infer<typeof AbortOperationIntentSchema>;
export type OperationsBlob = z.infer<typeof OperationsBlobSchema>;
export type OpenSessionIntent = z.infer<typeof OpenSessionIntentSchema>;
export type CompleteSessionIntent = z.infer<typeof CompleteSessionIntentSchema>;
export type RollbackIntent = z.infer<typeof RollbackIntentSchema>;
export type WithdrawIntent = z.infer<typeof WithdrawIntentSchema>;
