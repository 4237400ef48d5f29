import { z } from 'zod';
import { LogicalOperationIdSchema, OperationIdSchema, SessionIdSchema } from './ids.js';
import { PrincipalSchema } from './names.js';
import { PathStateSchema } from './path-state.js';
import { WorkspacePathSchema } from './workspace-path.js';

/** What to take back: one operation, one logical operation (a rollback's too: that redoes), or all of a session. */
export const SelectionSchema = z.discriminatedUnion('by', [
  z.object({ by: z.literal('operation'), operation_id: OperationIdSchema }),
  z.object({ by: z.literal('logical_operation'), logical_operation_id: LogicalOperationIdSchema }),
  z.object({ by: z.literal('session'), session_id: SessionIdSchema }),
]);
export type Selection = z.infer<typeof SelectionSchema>;

/** More paths go in several requests; each request is applied whole or not at all. */
export const MAX_STEPS_PER_REQUEST = 256;

/** One path's way back. Steps run in order; each is re-verified against `expect` at the moment of change. */
export const RestoreStepSchema = z.object({
  /** The operations that this step takes back, newest first. */
  compensates: z.array(OperationIdSchema).min(1),
  path: WorkspacePathSchema,
  expect: PathStateSchema,
  restore: PathStateSchema,
});
export type RestoreStep = z.infer<typeof RestoreStepSchema>;

/**
 * Why a logical operation is left out whole. `dependent`: a recorded later change stands on it; `outside`: nobody
 * recorded what is there now; `undone`: nothing to take back; `lossy`: its pre-image is not to be had.
 */
export const LeftOutSchema = z.object({
  logical_operation_id: LogicalOperationIdSchema,
  path: WorkspacePathSchema,
  why: z.enum(['dependent', 'outside', 'undone', 'lossy']),
  message: z.string(),
  expected: PathStateSchema,
  found: PathStateSchema,
  /** The later logical operation and who made it, where one is the reason. */
  later: z.object({ logical_operation_id: LogicalOperationIdSchema, agent: PrincipalSchema }).nullable(),
});
export type LeftOut = z.infer<typeof LeftOutSchema>;

/** Whether something that was asked for stays: what is undone already does not count. */
export const leavesSomething = (leftOut: readonly LeftOut[]): boolean => leftOut.some(({ why }) => why !== 'undone');

/** A plan and its preview. `plan_hash` is the sha256 of all else in it. */
export const RollbackPlanSchema = z.object({
  plan_hash: z.string().regex(/^[0-9a-f]{64}$/),
  workspace: z.string(),
  requested_by: PrincipalSchema,
  selection: SelectionSchema,
  /** Sequence of the log that the plan saw. */
  at_sequence: z.int().min(0),
  /** Logical operations taken back, newest first. */
  undoes: z.array(LogicalOperationIdSchema),
  /** Whose work is touched: policy judges by this. */
  owners: z.array(PrincipalSchema),
  steps: z.array(RestoreStepSchema),
  left_out: z.array(LeftOutSchema),
});
export type RollbackPlan = z.infer<typeof RollbackPlanSchema>;
