import { z } from 'zod';
import { OperationIdSchema } from './ids.js';
import { AskedModeSchema, BlobHashSchema, PathStateSchema } from './path-state.js';

/** A path as the caller typed it; policy brings it to its one spelling and refuses what has none. */
export const TypedPathSchema = z.string().max(16_000);

/** `replace`: a new file takes the old one's place; `in_place`: the same inode gets new bytes. */
export const WriteModeSchema = z.enum(['replace', 'in_place']);
export type WriteMode = z.infer<typeof WriteModeSchema>;

const common = {
  operation_id: OperationIdSchema,
  path: TypedPathSchema,
  /** What the caller last saw there. Never re-decided: anything else found refuses the logical operation. */
  expected: PathStateSchema.optional(),
};
const content = { content_hash: BlobHashSchema, size: z.int().min(0) };

/** A new file; refused where anything stands. */
export const CreateRequestSchema = z.object({
  ...common,
  ...content,
  action: z.literal('create'),
  mode: AskedModeSchema.optional(),
});
/** The whole content of a file, new or not. Mode and link are kept where a file stands. */
export const WriteRequestSchema = z.object({
  ...common,
  ...content,
  action: z.literal('write'),
  mode: AskedModeSchema.optional(),
  write_mode: WriteModeSchema.optional(),
});
/** `content_hash` names a blob holding an {@link EditScript}. */
export const EditRequestSchema = z.object({
  ...common,
  ...content,
  action: z.literal('edit'),
  write_mode: WriteModeSchema.optional(),
});
export const MkdirRequestSchema = z.object({ ...common, action: z.literal('mkdir'), mode: AskedModeSchema.optional() });
/** A file, a link or an empty folder. */
export const DeleteRequestSchema = z.object({ ...common, action: z.literal('delete') });

export const OperationRequestSchema = z.discriminatedUnion('action', [
  CreateRequestSchema,
  WriteRequestSchema,
  EditRequestSchema,
  MkdirRequestSchema,
  DeleteRequestSchema,
]);
export type OperationRequest = z.infer<typeof OperationRequestSchema>;
export type Action = OperationRequest['action'];

/** The edits of one `edit` operation, run in order; texts are literal (`$` is a dollar). */
export const EditScriptSchema = z.object({
  edits: z
    .array(
      z.object({
        old_text: z.string().min(1),
        new_text: z.string(),
        /** Replace every match; else more than one match is refused. */
        all: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(1000),
});
export type EditScript = z.infer<typeof EditScriptSchema>;
