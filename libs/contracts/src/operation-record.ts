import { z } from 'zod';
import { LogicalOperationIdSchema, OperationIdSchema, SessionIdSchema } from './ids.js';
import { ModelSchema, ProvenanceSchema } from './intent.js';
import { PrincipalSchema } from './names.js';
import { WriteModeSchema } from './operation-request.js';
import { BlobHashSchema, PathStateSchema } from './path-state.js';
import { WorkspacePathSchema } from './workspace-path.js';

/** What was done to the path. `restore` is a compensation: the path was brought back to an earlier state. */
export const RecordedActionSchema = z.enum([
  'create',
  'write',
  'edit',
  'append',
  'mkdir',
  'delete',
  'rmdir',
  'chmod',
  'symlink',
  'move',
  'copy',
  'restore',
]);
export type RecordedAction = z.infer<typeof RecordedActionSchema>;

/** Why a path is allowed what it is: the capability asked for. A write is `create` or `overwrite`. */
export const ActionClassSchema = z.enum(['read', 'create', 'overwrite', 'delete', 'move', 'execute']);
export type ActionClass = z.infer<typeof ActionClassSchema>;

/** `sequence`: the event that left this state; `null`: nobody recorded it; `self`: the event that holds this record. */
export const StateSnapshotSchema = z.object({
  state: PathStateSchema,
  sequence: z.union([z.int().min(1), z.null(), z.literal('self')]),
});
export type StateSnapshot = z.infer<typeof StateSnapshotSchema>;

export const DecisionReferenceSchema = z.object({ policy_version: z.int().min(0), rule: z.string() });

/** The inverse of an operation: bring `path` from `expect` to `restore`. */
export const RollbackInstructionSchema = z.object({
  path: WorkspacePathSchema,
  expect: PathStateSchema,
  restore: PathStateSchema,
});

/** What of the pre-image an undo brings back bit for bit, and what it cannot. */
export const UndoCoverageSchema = z.object({
  undoable: z.boolean(),
  restores: z.array(z.enum(['content', 'mode', 'link_target', 'existence'])),
  lost: z.array(z.string()),
});
export type UndoCoverage = z.infer<typeof UndoCoverageSchema>;

/** The record of one file operation, as `retrace show` prints it. */
export const OperationRecordSchema = z.object({
  operation_id: OperationIdSchema,
  logical_operation_id: LogicalOperationIdSchema,
  session_id: SessionIdSchema.nullable(),
  agent_id: PrincipalSchema,
  tool: z.string().nullable(),
  model: ModelSchema.nullable(),
  action: RecordedActionSchema,
  path: z.object({ typed: z.string(), canonical: WorkspacePathSchema }),
  parameters: z.object({
    content_hash: BlobHashSchema.nullable(),
    overwrite: z.boolean(),
    expected_state_hash: BlobHashSchema.nullable(),
    write_mode: WriteModeSchema.nullable(),
    /** Places that an edit changed. */
    matches: z.int().min(0).nullable(),
  }),
  /**
   * The asked operation whose part this is: one request may change many paths, each with a record of its own. `null`:
   * the asked operation itself.
   */
  part_of: OperationIdSchema.nullable().default(null),
  /** The object at `path` came from there by a move: the same object under another path. */
  moved_from: WorkspacePathSchema.nullable().default(null),
  /** The object that was at `path` went there by a move. */
  moved_to: WorkspacePathSchema.nullable().default(null),
  /** What was copied to `path`. */
  copied_from: WorkspacePathSchema.nullable().default(null),
  reason: z.string().nullable(),
  provenance: ProvenanceSchema,
  trace_id: z.string().nullable(),
  rollback_instruction: RollbackInstructionSchema,
  state_snapshot_before: StateSnapshotSchema,
  state_snapshot_after: StateSnapshotSchema,
  decision: DecisionReferenceSchema,
  /** Of carrying it out on the disk; `null` where the process that did it died before it could say. */
  duration_ms: z.number().min(0).nullable(),
  undo_coverage: UndoCoverageSchema,
  /** The operations that this one takes back; empty unless it is a compensation. */
  compensates: z.array(OperationIdSchema),
  /** What a caller should know, such as that a byte-order mark is gone. */
  notes: z.array(z.string()),
});
export type OperationRecord = z.infer<typeof OperationRecordSchema>;
