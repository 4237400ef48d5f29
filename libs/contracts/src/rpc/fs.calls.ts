import { z } from 'zod';
import { OperationIdSchema, SessionIdSchema } from '../ids.js';
import { PrincipalSchema, WorkspaceNameSchema } from '../names.js';
import { TypedPathSchema } from '../operation-request.js';
import { PathStateSchema } from '../path-state.js';
import { WorkspacePathSchema } from '../workspace-path.js';
import { BytesSchema } from './bytes.js';
import { defineCall } from './define-call.js';
import { CHUNK_BYTES } from './headers.js';

/** What execution knows of one path at the moment of asking. */
export const FactSchema = z.object({
  path: WorkspacePathSchema,
  /** The object that a write through `path` acts on, links followed inside the root. */
  canonical: WorkspacePathSchema,
  state: PathStateSchema,
  /** Who recorded the path's last change, and what it left. `null`: nobody recorded anything. */
  recorded: z
    .object({
      state: PathStateSchema,
      sequence: z.int().min(1),
      operation_id: OperationIdSchema,
      session_id: SessionIdSchema.nullable(),
      agent: PrincipalSchema,
    })
    .nullable(),
  /** Set where the path cannot be looked at; `state` is then `absent`. */
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  /**
   * Names of what lies in a directory, those first that nobody recorded; bytes that are not UTF-8 as U+FFFD. At most
   * 1,000 names, and 32 KiB of them as JSON: several facts fit one answer. Only where asked for; `null` or absent where
   * the path is no directory, or cannot be listed.
   */
  entries: z.array(z.string()).max(1000).nullable().optional(),
  /** More lies there than `entries` names. */
  entries_more: z.boolean().optional(),
});
export type Fact = z.infer<typeof FactSchema>;

/**
 * Services only. Facts in the order of `paths`. `follow: false` describes the path itself, not what a link names;
 * `entries: true` tells what lies in directories, which costs a listing and room in the answer.
 */
export const FsFacts = defineCall(
  'fs',
  'facts',
  z.object({
    paths: z.array(WorkspacePathSchema).max(10_000),
    follow: z.boolean(),
    entries: z.boolean().optional(),
  }),
  z.object({ facts: z.array(FactSchema) }),
);

/** One range of a file as it stands; reply: bytes, `Retrace-Size`, `Retrace-State` (a PathState as JSON). */
export const FsRead = defineCall(
  'fs',
  'read',
  z.object({ path: TypedPathSchema, offset: z.int().min(0), length: z.int().min(1).max(CHUNK_BYTES) }),
  BytesSchema,
);

/** Operators only: take a folder on this host under care. */
export const FsAddWorkspace = defineCall(
  'fs',
  'add_workspace',
  z.object({ name: WorkspaceNameSchema, root: z.string().min(1).max(4096) }),
  z.object({ root: z.string(), sequence: z.int().min(1) }),
);
