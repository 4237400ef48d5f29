import { z } from 'zod';
import { AuthorizedOperationSchema } from '../decision.js';
import { IntentIdSchema, LogicalOperationIdSchema, SessionIdSchema } from '../ids.js';
import { ModelSchema, ProvenanceSchema } from '../intent.js';
import { defineEvent } from './define-event.js';

/** Which intent a decision answers. `in_sequence` is its place in `RETRACE_IN`; the first decision per attempt counts. */
export const AnsweredIntentSchema = z.object({
  intent_id: IntentIdSchema,
  in_sequence: z.int().min(1),
  attempt: z.int().min(1),
});

/** A logical operation may be applied: the redacted copy of the intent, its pins and the rules that allowed it. */
export const IntentAuthorized = defineEvent(
  'intent',
  'authorized',
  1,
  z.object({
    ...AnsweredIntentSchema.shape,
    logical_operation_id: LogicalOperationIdSchema,
    session_id: SessionIdSchema,
    model: ModelSchema.nullable(),
    tool: z.string().nullable(),
    reason: z.string().nullable(),
    provenance: ProvenanceSchema,
    /** It was opened (`logical_operation.opened`) and may get more parts. */
    open: z.boolean().default(false),
    /** Which part of an open logical operation this is, from 1. */
    part: z.int().min(1).default(1),
    operations: z.array(AuthorizedOperationSchema).min(1),
  }),
  { pagedBy: 'operations' },
);

/** An intent was refused; nothing was touched. `rule` names what refused it, `message` says what to do next. */
export const IntentDenied = defineEvent(
  'intent',
  'denied',
  1,
  z.object({
    ...AnsweredIntentSchema.shape,
    intent_type: z.string(),
    session_id: SessionIdSchema.nullable(),
    /** The open logical operation that it was to be a part of: that one can only be aborted now. */
    logical_operation_id: LogicalOperationIdSchema.optional(),
    code: z.string(),
    message: z.string(),
    rule: z.string().nullable(),
    policy_version: z.int().min(0).nullable(),
    /** The operation that was refused, where one was. */
    path: z.string().nullable(),
    action: z.string().nullable(),
    reason: z.string().nullable(),
    retryable: z.boolean(),
  }),
);

/** A pin no longer held through recorded changes, or an assumption failed: policy decides again. */
export const IntentStale = defineEvent(
  'intent',
  'stale',
  1,
  z.object({
    ...AnsweredIntentSchema.shape,
    logical_operation_id: LogicalOperationIdSchema,
    paths: z.array(z.object({ path: z.string(), why: z.enum(['assumed_absent', 'link', 'moved']) })).min(1),
  }),
);
