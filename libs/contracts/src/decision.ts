import { z } from 'zod';
import { OperationIdSchema } from './ids.js';
import { ActionClassSchema, DecisionReferenceSchema } from './operation-record.js';
import { OperationRequestSchema } from './operation-request.js';
import { PathStateSchema } from './path-state.js';
import { WorkspacePathSchema } from './workspace-path.js';

/**
 * The state that a decision depended on. `assumed`: policy did not look, so finding something else sends the intent
 * back to policy (`intent.stale`); an observed one that others moved refuses the logical operation.
 */
export const PinSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('any') }),
  z.object({ kind: z.literal('absent'), assumed: z.boolean() }),
  z.object({ kind: z.literal('state'), state: PathStateSchema, sequence: z.int().min(1).nullable() }),
  z.object({ kind: z.literal('after'), operation_id: OperationIdSchema }),
]);
export type Pin = z.infer<typeof PinSchema>;

/** One authorized operation: the request, the one spelling of its path, and what the decision rests on. */
export const AuthorizedOperationSchema = z.object({
  request: OperationRequestSchema,
  canonical: WorkspacePathSchema,
  class: ActionClassSchema,
  pin: PinSchema,
  decision: DecisionReferenceSchema,
});
export type AuthorizedOperation = z.infer<typeof AuthorizedOperationSchema>;
