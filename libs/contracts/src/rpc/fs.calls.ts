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
  /**
   * Who recorded the path's last change, and what it left; the baseline's has no operation, and `_` as agent. `null`:
   * nobody recorded anything.
   */
  recorded: z
    .object({
      state: PathStateSchema,
      sequence: z.int().min(1),
      operation_id: OperationIdSchema.nullable(),
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

/** Largest number of entries in one answer of `fs.tree` or `fs.list`. */
export const ENTRIES_PER_PAGE = 2000;

/**
 * Services only. What lies at and below a path, links not followed, the control folder left out: in the order of the
 * UTF-8 bytes of the paths, the path itself first. `after`: the last path of the page before; `next` is null at the end.
 */
export const FsTree = defineCall(
  'fs',
  'tree',
  z.object({
    path: WorkspacePathSchema,
    after: WorkspacePathSchema.optional(),
    limit: z.int().min(1).max(ENTRIES_PER_PAGE).default(ENTRIES_PER_PAGE),
  }),
  z.object({ facts: z.array(FactSchema), next: WorkspacePathSchema.nullable() }),
);

const EntryStateSchema = z.object({
  kind: z.enum(['file', 'directory', 'link', 'other']),
  /** Bytes of a file; 0 of others. */
  size: z.int().min(0),
  mode: z.int().min(0),
  /** RFC 3339. */
  modified_at: z.string(),
  target: z.string().nullable(),
});

/** What a folder holds, by name, as far as the caller may read it. `path` may be `.`: the root. */
export const FsList = defineCall(
  'fs',
  'list',
  z.object({
    path: TypedPathSchema,
    after: z.string().optional(),
    limit: z.int().min(1).max(ENTRIES_PER_PAGE).default(ENTRIES_PER_PAGE),
  }),
  z.object({ entries: z.array(EntryStateSchema.extend({ name: z.string() })), next: z.string().nullable() }),
);

/** What stands at a path, with its hash, and who recorded its last change. Absence is an answer. */
export const FsStat = defineCall(
  'fs',
  'stat',
  z.object({ path: TypedPathSchema, follow: z.boolean().default(true) }),
  z.object({
    canonical: z.string(),
    state: PathStateSchema,
    modified_at: z.string().nullable(),
    recorded: FactSchema.shape.recorded,
  }),
);

/** How far the baseline of the workspace is. */
export const FsBaseline = defineCall(
  'fs',
  'baseline',
  z.object({}),
  z.object({
    status: z.enum(['none', 'running', 'done', 'failed']),
    files: z.int().min(0),
    bytes: z.int().min(0),
    /** Files found so far; they are counted before they are stored. */
    found: z.int().min(0),
    message: z.string().nullable(),
  }),
);

/** One thing that was looked at. `remedy`: what to do, where it is not well. */
export const CheckSchema = z.object({
  check: z.string(),
  status: z.enum(['ok', 'warning', 'failed']),
  found: z.string(),
  remedy: z.string().nullable(),
});
export type Check = z.infer<typeof CheckSchema>;

/** Operators only. Looks at a workspace from where its executor stands: permission, path, disk, locks, fallbacks. */
export const FsCheck = defineCall('fs', 'check', z.object({}), z.object({ checks: z.array(CheckSchema) }));

/** One range of a file as it stands; reply: bytes, `Retrace-Size`, `Retrace-State` (a PathState as JSON). */
export const FsRead = defineCall(
  'fs',
  'read',
  z.object({ path: TypedPathSchema, offset: z.int().min(0), length: z.int().min(1).max(CHUNK_BYTES) }),
  BytesSchema,
);

/**
 * Services only. Answered once nothing that execution published is missing in the log, be it that the broker lost its
 * tail and execution put it back; else, after a while, `not_ready`.
 */
export const FsTail = defineCall('fs', 'tail', z.object({}), z.object({ whole: z.literal(true) }));

/** Operators only: take a folder on this host under care. */
export const FsAddWorkspace = defineCall(
  'fs',
  'add_workspace',
  z.object({ name: WorkspaceNameSchema, root: z.string().min(1).max(4096) }),
  z.object({ root: z.string(), sequence: z.int().min(1) }),
);
