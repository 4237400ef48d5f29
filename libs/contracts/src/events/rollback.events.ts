import { z } from 'zod';
import { LogicalOperationIdSchema, OperationIdSchema, RollbackIdSchema } from '../ids.js';
import { PrincipalSchema } from '../names.js';
import { DecisionReferenceSchema } from '../operation-record.js';
import { LeftOutSchema, RestoreStepSchema, RollbackPlanSchema } from '../plan.js';
import { defineEvent } from './define-event.js';
import { AnsweredIntentSchema } from './intent.events.js';

/** The plan with this hash may run, as one logical operation. */
export const RollbackAuthorized = defineEvent(
  'rollback',
  'authorized',
  1,
  z.object({
    ...AnsweredIntentSchema.shape,
    rollback_id: RollbackIdSchema,
    logical_operation_id: LogicalOperationIdSchema,
    plan_hash: RollbackPlanSchema.shape.plan_hash,
    requested_by: PrincipalSchema,
    reason: z.string().nullable(),
    decision: DecisionReferenceSchema,
  }),
);

/** Execution is to restore these paths, all or none. This event is their authority. */
export const RollbackStepRequested = defineEvent(
  'rollback',
  'step_requested',
  1,
  z.object({
    rollback_id: RollbackIdSchema,
    logical_operation_id: LogicalOperationIdSchema,
    intent_id: AnsweredIntentSchema.shape.intent_id,
    part: z.int().min(1),
    parts: z.int().min(1),
    reason: z.string().nullable(),
    decision: DecisionReferenceSchema,
    steps: z.array(RestoreStepSchema.extend({ operation_id: OperationIdSchema })).min(1),
  }),
);

export const RollbackOutcomeSchema = z.enum(['undone', 'partial', 'nothing', 'failed']);

/** The report. `partial`: some logical operations were left out, or a later part failed. */
export const RollbackCompleted = defineEvent(
  'rollback',
  'completed',
  1,
  z.object({
    rollback_id: RollbackIdSchema,
    logical_operation_id: LogicalOperationIdSchema,
    intent_id: AnsweredIntentSchema.shape.intent_id,
    plan_hash: RollbackPlanSchema.shape.plan_hash,
    outcome: RollbackOutcomeSchema,
    undone: z.array(LogicalOperationIdSchema),
    restored: z.array(z.string()),
    /** Of those, the ones that were merged with later changes, and those that went over what others left. */
    merged: z.array(z.string()).default([]),
    forced: z.array(z.string()).default([]),
    left_out: z.array(LeftOutSchema),
    /** What a failed part said. */
    failures: z.array(z.object({ part: z.int().min(1), code: z.string(), message: z.string() })),
  }),
  { pagedBy: 'restored' },
);
