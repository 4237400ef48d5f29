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
/** A folder; one that is there already is left as it is. `parents`: those above it too. */
export const MkdirRequestSchema = z.object({
  ...common,
  action: z.literal('mkdir'),
  mode: AskedModeSchema.optional(),
  parents: z.boolean().optional(),
});
/** A file, a link or an empty folder; with `recursive`, a folder and all that is in it. */
export const DeleteRequestSchema = z.object({
  ...common,
  action: z.literal('delete'),
  recursive: z.boolean().optional(),
});
/** An empty folder, and nothing else. */
export const RmdirRequestSchema = z.object({ ...common, action: z.literal('rmdir') });
/** Adds to the end of a file; a file that is not there begins with it. */
export const AppendRequestSchema = z.object({
  ...common,
  ...content,
  action: z.literal('append'),
  mode: AskedModeSchema.optional(),
  write_mode: WriteModeSchema.optional(),
});
/** The permission bits of a file or folder. */
export const ChmodRequestSchema = z.object({ ...common, action: z.literal('chmod'), mode: AskedModeSchema });
/** A symbolic link at `path`. `target` is relative to the link's folder and stays inside the workspace. */
export const SymlinkRequestSchema = z.object({
  ...common,
  action: z.literal('symlink'),
  target: z.string().min(1).max(4000),
});

const transfer = {
  ...common,
  /** Where it is to stand: the new path itself, not a folder to put it into. */
  to: TypedPathSchema,
  /** A file or link that stands at `to` is replaced; without it, anything there refuses. */
  overwrite: z.boolean().optional(),
};
/** A file, a link, or a folder with all that is in it gets another path. `expected` is of `path`. */
export const MoveRequestSchema = z.object({ ...transfer, action: z.literal('move') });
/** A file or link; with `recursive`, a folder and all that is in it. `expected` is of `path`. */
export const CopyRequestSchema = z.object({
  ...transfer,
  action: z.literal('copy'),
  recursive: z.boolean().optional(),
});

export const OperationRequestSchema = z.discriminatedUnion('action', [
  CreateRequestSchema,
  WriteRequestSchema,
  EditRequestSchema,
  AppendRequestSchema,
  MkdirRequestSchema,
  DeleteRequestSchema,
  RmdirRequestSchema,
  ChmodRequestSchema,
  SymlinkRequestSchema,
  MoveRequestSchema,
  CopyRequestSchema,
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
