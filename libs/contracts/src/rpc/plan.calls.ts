import { z } from 'zod';
import {
  RestoreStepSchema,
  RollbackOptionsSchema,
  RollbackPlanSchema,
  SelectionSchema,
  STEPS_PER_PAGE,
} from '../plan.js';
import { WorkspacePathSchema } from '../workspace-path.js';
import { defineCall } from './define-call.js';

const plan_hash = RollbackPlanSchema.shape.plan_hash;

/**
 * Plans a rollback and keeps the plan; nothing is changed. Errors: `nothing_selected`, `nothing_to_undo`, `not_yours`,
 * `not_ready`, `reply_too_large`, `bad_request`, `unavailable`.
 */
export const PlanMake = defineCall(
  'plan',
  'make',
  z.object({
    selection: SelectionSchema,
    except: z.array(SelectionSchema).max(100).optional(),
    options: RollbackOptionsSchema.partial().optional(),
  }),
  RollbackPlanSchema,
);

/** A kept plan by its hash. Errors: `unknown_plan`. */
export const PlanGet = defineCall('plan', 'get', z.object({ plan_hash }), RollbackPlanSchema);

/** Steps of a kept plan from number `from` (0 is the first). Errors: `unknown_plan`. */
export const PlanSteps = defineCall(
  'plan',
  'steps',
  z.object({ plan_hash, from: z.int().min(0), limit: z.int().min(1).max(STEPS_PER_PAGE).default(STEPS_PER_PAGE) }),
  z.object({ steps: z.array(RestoreStepSchema) }),
);

/**
 * What one step of a kept plan changes, as a unified diff from what stands there to what will; for who made the plan,
 * and operators. Errors: `unknown_plan`, `not_found` (no step on that path), `plan_stale` (what the plan saw is not to be
 * had any more), `unavailable`.
 */
export const PlanDiff = defineCall(
  'plan',
  'diff',
  z.object({ plan_hash, path: WorkspacePathSchema }),
  z.object({
    path: WorkspacePathSchema,
    /** Empty where the bytes are equal, or are no text. */
    diff: z.string(),
    binary: z.boolean(),
    /** Cut at 256 KiB, or not made at all because a side has over 4 MiB. */
    truncated: z.boolean(),
    /** Of agents: not shown, since a side is neither what their own work found or left there nor merged of that alone. */
    withheld: z.boolean().optional(),
  }),
);
