import { z } from 'zod';
import { RollbackPlanSchema, SelectionSchema } from '../plan.js';
import { defineCall } from './define-call.js';

/** Plans a rollback and keeps the plan; nothing is changed. Errors: `nothing_selected`, `not_found`, `unavailable`. */
export const PlanMake = defineCall('plan', 'make', z.object({ selection: SelectionSchema }), RollbackPlanSchema);

/** A kept plan by its hash. Errors: `unknown_plan`. */
export const PlanGet = defineCall(
  'plan',
  'get',
  z.object({ plan_hash: RollbackPlanSchema.shape.plan_hash }),
  RollbackPlanSchema,
);
