import { z } from 'zod';
import { EventIdSchema, IntentIdSchema, LogicalOperationIdSchema, RollbackIdSchema, SessionIdSchema } from '../ids.js';
import { OperationRecordSchema } from '../operation-record.js';
import { PathStateSchema } from '../path-state.js';
import { defineEvent } from './define-event.js';

export const OperationKindSchema = z.enum(['operation', 'rollback']);

const common = {
  logical_operation_id: LogicalOperationIdSchema,
  kind: OperationKindSchema,
  intent_id: IntentIdSchema,
  session_id: SessionIdSchema.nullable(),
  rollback_id: RollbackIdSchema.nullable(),
  /** Part of a rollback that needs several requests, or of a logical operation that several intents fill, from 1. */
  part: z.int().min(1),
  /** The event that gave the authority: where the executor was in the log. */
  authorized_by: z.object({ sequence: z.int().min(1), event_id: EventIdSchema }),
  /** Grows with each start of the workspace's executor. */
  epoch: z.int().min(1),
};

/** All operations of a logical operation are on the disk. */
export const OperationApplied = defineEvent(
  'operation',
  'applied',
  1,
  z.object({ ...common, operations: z.array(OperationRecordSchema).min(1) }),
  { pagedBy: 'operations' },
);

/** None of the logical operation's effects is on the disk. `needs_attention` lists paths that a third party changed midway. */
export const OperationFailed = defineEvent(
  'operation',
  'failed',
  1,
  z.object({
    ...common,
    code: z.string(),
    message: z.string(),
    /** The operation that failed, where one did: its place from 0. */
    failed_at: z.int().min(0).nullable(),
    path: z.string().nullable(),
    expected: PathStateSchema.nullable(),
    found: PathStateSchema.nullable(),
    needs_attention: z.array(z.object({ path: z.string(), found: PathStateSchema, kept: z.string().nullable() })),
  }),
);
