import { z } from 'zod';
import { LogicalOperationIdSchema, OperationIdSchema, SessionIdSchema } from './ids.js';
import { PrincipalSchema } from './names.js';
import { PathStateSchema } from './path-state.js';
import { WorkspacePathSchema } from './workspace-path.js';

/** Narrows a selection that reaches over several sessions. All that is given must hold. */
const narrowing = {
  session_id: SessionIdSchema.optional(),
  agent: PrincipalSchema.optional(),
  /** From this sequence of the log on. */
  since_sequence: z.int().min(1).optional(),
  /** From this moment on, RFC 3339, by the clock of who published. */
  since_time: z.iso.datetime({ offset: true }).optional(),
};

/** A glob over whole canonical paths, as policies have them: `**`, `*`, `?`, `[…]`, `{a,b}`; `\\` takes a sign literally. */
const glob = z.string().min(1).max(4000);

/**
 * What to take back. Logical operations are taken whole, except where paths or single operations are asked for
 * (`operation`, `path`, `glob`, `created`). A rollback's own logical operation redoes.
 */
export const SelectionSchema = z.discriminatedUnion('by', [
  /** With all of its parts. */
  z.object({ by: z.literal('operation'), operation_id: OperationIdSchema }),
  z.object({ by: z.literal('logical_operation'), logical_operation_id: LogicalOperationIdSchema }),
  z.object({ by: z.literal('session'), session_id: SessionIdSchema }),
  /** The session's applied logical operation number `step`, from 1, rollbacks not counted. */
  z.object({ by: z.literal('step'), session_id: SessionIdSchema, step: z.int().min(1) }),
  z.object({ by: z.literal('agent'), ...narrowing, agent: PrincipalSchema }),
  /** One path, literally; with `below`, also what lies below it. */
  z.object({ by: z.literal('path'), path: WorkspacePathSchema, below: z.boolean().optional(), ...narrowing }),
  z.object({ by: z.literal('glob'), glob, ...narrowing }),
  /** What the session created and nobody else changed since; with a glob, of that only what matches. */
  z.object({ by: z.literal('created'), session_id: SessionIdSchema, glob: glob.optional() }),
  /** Everything since; `since_sequence` or `since_time` must be given. */
  z.object({ by: z.literal('since'), ...narrowing }),
]);
export type Selection = z.infer<typeof SelectionSchema>;

/** What to do where something stands in the way; without any of them that logical operation is left out whole. */
export const RollbackOptionsSchema = z.object({
  /** Three-way merge of text: base = what the undone work left, ours = what stands there, theirs = what was before it. */
  merge: z.boolean().default(false),
  /** Bring it back over whatever stands there, which is stored first. After `merge`, where both are given. */
  force: z.boolean().default(false),
  /** Leave out that path alone and undo the rest of its logical operation. */
  skip: z.boolean().default(false),
  /** Undo nothing at all where anything would be left out. */
  all_or_none: z.boolean().default(false),
});
export type RollbackOptions = z.infer<typeof RollbackOptionsSchema>;

/** More paths go in several requests; each request is applied whole or not at all. */
export const MAX_STEPS_PER_REQUEST = 256;

/** One path's way back. Steps run in order; each is re-verified against `expect` at the moment of change. */
export const RestoreStepSchema = z.object({
  /** The operations that this step takes back, newest first. */
  compensates: z.array(OperationIdSchema).min(1),
  path: WorkspacePathSchema,
  expect: PathStateSchema,
  restore: PathStateSchema,
  /** `merge`: `restore` holds the merged text; `force`: it goes over what others left. */
  how: z.enum(['restore', 'merge', 'force']).default('restore'),
  /**
   * The object that stands at this other path of the same request is moved back here, not made anew: both steps name
   * each other, the one that takes it away (`moves_to`) stands first.
   */
  moves_from: WorkspacePathSchema.optional(),
  moves_to: WorkspacePathSchema.optional(),
  /** Later changes of the path that stay: the merge kept them, or they moved the object (`independent`). */
  keeps: z.array(z.object({ logical_operation_id: LogicalOperationIdSchema, agent: PrincipalSchema })).default([]),
});
export type RestoreStep = z.infer<typeof RestoreStepSchema>;

/**
 * Why a logical operation is left out whole, or (`only_path`) one path of it. `dependent`: a recorded later change stands on it; `outside`: nobody
 * recorded what is there now; `undone`: nothing to take back; `lossy`: its pre-image is not to be had; `all_or_none`: something else would have been left out.
 */
export const LeftOutSchema = z.object({
  logical_operation_id: LogicalOperationIdSchema,
  path: WorkspacePathSchema,
  why: z.enum(['dependent', 'outside', 'undone', 'lossy', 'all_or_none']),
  /** Asked for (`skip`): the rest of the logical operation is undone. */
  only_path: z.boolean().default(false),
  message: z.string(),
  expected: PathStateSchema,
  found: PathStateSchema,
  /** The later logical operation and who made it, where one is the reason. */
  later: z.object({ logical_operation_id: LogicalOperationIdSchema, agent: PrincipalSchema }).nullable(),
});
export type LeftOut = z.infer<typeof LeftOutSchema>;

/** Whether something that was asked for stays: what is undone already does not count. */
export const leavesSomething = (leftOut: readonly LeftOut[]): boolean => leftOut.some(({ why }) => why !== 'undone');

/** Steps that a plan's answer holds; the rest is read with `plan.steps`. */
export const STEPS_PER_PAGE = 1000;

/** A plan and its preview. `plan_hash` is the sha256 of all else in it, every step included. */
export const RollbackPlanSchema = z.object({
  plan_hash: z.string().regex(/^[0-9a-f]{64}$/),
  workspace: z.string(),
  requested_by: PrincipalSchema,
  selection: SelectionSchema,
  /** Not taken back, although selected. */
  except: z.array(SelectionSchema).default([]),
  options: RollbackOptionsSchema.default({ merge: false, force: false, skip: false, all_or_none: false }),
  /** Sequence of the log that the plan saw. */
  at_sequence: z.int().min(0),
  /** Logical operations taken back, newest first. */
  undoes: z.array(LogicalOperationIdSchema),
  /** Whose work is touched: policy judges by this. */
  owners: z.array(PrincipalSchema),
  /** In answers, the first {@link STEPS_PER_PAGE}. */
  steps: z.array(RestoreStepSchema),
  step_count: z.int().min(0),
  left_out: z.array(LeftOutSchema),
});
export type RollbackPlan = z.infer<typeof RollbackPlanSchema>;
