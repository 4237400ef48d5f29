import { z } from 'zod';
import { OperationIdSchema } from './ids.js';
import { ActionClassSchema, DecisionReferenceSchema, RecordedActionSchema } from './operation-record.js';
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

/**
 * One authorized operation on one path (a move: two): the request, the one spelling of its path, and what the decision
 * rests on. Policy expands what reaches further (a recursive delete or copy, a folder's move, missing parents) into
 * operations of this kind, in an order in which each can be applied; those beyond the asked one carry `part_of`.
 */
export const AuthorizedOperationSchema = z.object({
  request: OperationRequestSchema,
  /** The path that changes; of a move or copy, where it is to stand. */
  canonical: WorkspacePathSchema,
  class: ActionClassSchema,
  pin: PinSchema,
  decision: DecisionReferenceSchema,
  /** Of a move or copy: what is moved or copied, and what that rests on. */
  source: z
    .object({
      canonical: WorkspacePathSchema,
      class: ActionClassSchema,
      pin: PinSchema,
      decision: DecisionReferenceSchema,
    })
    .optional(),
  /** The asked operation that this one is a part of. */
  part_of: OperationIdSchema.optional(),
  /** The request as it was made, where this operation carries its id and is of another kind: the first of a folder's move. */
  asked: OperationRequestSchema.optional(),
  /** What the record calls it, where that is not the request's action: the root of an expanded move is no `mkdir`. */
  recorded_as: RecordedActionSchema.optional(),
  /** Of a folder made (`from`) or removed (`to`) on behalf of a move: the folder that it continues, or becomes. */
  moved: z.object({ from: WorkspacePathSchema.optional(), to: WorkspacePathSchema.optional() }).optional(),
});
export type AuthorizedOperation = z.infer<typeof AuthorizedOperationSchema>;
