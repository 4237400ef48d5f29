import { z } from 'zod';
import { LogicalOperationIdSchema, RollbackIdSchema, SessionIdSchema } from '../ids.js';
import { defineEvent } from './define-event.js';
import { AnsweredIntentSchema } from './intent.events.js';

/** A logical operation that several intents may fill until it is committed or aborted. */
export const LogicalOperationOpened = defineEvent(
  'logical_operation',
  'opened',
  1,
  z.object({
    ...AnsweredIntentSchema.shape,
    logical_operation_id: LogicalOperationIdSchema,
    session_id: SessionIdSchema,
    reason: z.string().nullable(),
    /** Milliseconds after which it is aborted. */
    timeout_ms: z.int().min(1),
  }),
);

/** All that filled it was applied: it is one whole from here on, and takes no more. */
export const LogicalOperationCommitted = defineEvent(
  'logical_operation',
  'committed',
  1,
  z.object({
    ...AnsweredIntentSchema.shape,
    logical_operation_id: LogicalOperationIdSchema,
    session_id: SessionIdSchema,
  }),
);

/** It takes no more, and rollback takes back what was applied: this event is the authority for that. */
export const LogicalOperationAborted = defineEvent(
  'logical_operation',
  'aborted',
  1,
  z.object({
    /** Derived from the opening where no intent asked: `in_sequence` is 0 then. */
    intent_id: AnsweredIntentSchema.shape.intent_id,
    in_sequence: z.int().min(0),
    attempt: AnsweredIntentSchema.shape.attempt,
    logical_operation_id: LogicalOperationIdSchema,
    session_id: SessionIdSchema,
    why: z.enum(['requested', 'timeout']),
    reason: z.string().nullable(),
    rollback_id: RollbackIdSchema,
    /** The logical operation, of kind `rollback`, that takes it back. */
    rollback_logical_operation_id: LogicalOperationIdSchema,
  }),
);
