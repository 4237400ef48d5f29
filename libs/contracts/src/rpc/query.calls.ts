import { z } from 'zod';
import { IntentIdSchema, LogicalOperationIdSchema, OperationIdSchema, SessionIdSchema } from '../ids.js';
import { ModelSchema } from '../intent.js';
import { AgentNameSchema, PrincipalSchema, WorkspaceNameSchema } from '../names.js';
import { OperationRecordSchema } from '../operation-record.js';
import { TypedPathSchema } from '../operation-request.js';
import { PathStateSchema } from '../path-state.js';
import { OperationFailed } from '../events/operation.events.js';
import { defineCall } from './define-call.js';

/** Waits until the read models have folded this sequence (5 s, then `not_ready`): reading one's own writes. */
const minSequence = z.int().min(0).optional();

/** Operations that one line of the log names. */
export const OPERATIONS_PER_ENTRY = 100;

export const LogEntrySchema = z.object({
  sequence: z.int().min(1),
  time: z.string(),
  logical_operation_id: LogicalOperationIdSchema,
  kind: z.enum(['operation', 'rollback']),
  status: z.enum(['applied', 'failed', 'denied']),
  agent: PrincipalSchema,
  session_id: SessionIdSchema.nullable(),
  task: z.string().nullable(),
  tool: z.string().nullable(),
  reason: z.string().nullable(),
  /** Of a failure or denial. */
  code: z.string().nullable(),
  message: z.string().nullable(),
  rule: z.string().nullable(),
  policy_version: z.int().min(0).nullable(),
  /** The rollback that took all of it back, where one did. */
  undone_by: LogicalOperationIdSchema.nullable(),
  /** Its asked operations, in order; at most {@link OPERATIONS_PER_ENTRY}. The parts of one are counted, not listed. */
  operations: z.array(
    z.object({
      operation_id: OperationIdSchema.nullable(),
      action: z.string(),
      path: z.string(),
      /** Where a move or copy took it from. */
      from: z.string().nullable(),
      undone: z.boolean(),
      /** Paths that it changed. */
      paths: z.int().min(0),
    }),
  ),
  operation_count: z.int().min(0),
  /** Paths that all of it changed. */
  path_count: z.int().min(0),
  /** Several intents fill it, and it was not committed yet. */
  open: z.boolean(),
});
export type LogEntry = z.infer<typeof LogEntrySchema>;

/**
 * The log of a workspace, newest last: the newest `limit` entries before `before_sequence`, or, with `after_sequence`,
 * the oldest after it. With `wait_ms` an empty answer waits that long for the first new entry: so it is followed.
 * Agents see what they did themselves, operators all.
 */
export const QueryLog = defineCall(
  'query',
  'log',
  z.object({
    session_id: SessionIdSchema.optional(),
    agent: PrincipalSchema.optional(),
    /** A path, and what lies below it. */
    path: TypedPathSchema.optional(),
    glob: z.string().min(1).max(4000).optional(),
    action: z.string().max(40).optional(),
    status: z.enum(['applied', 'failed', 'denied']).optional(),
    kind: z.enum(['operation', 'rollback']).optional(),
    /** RFC 3339, by the clock of who published. */
    since: z.iso.datetime({ offset: true }).optional(),
    until: z.iso.datetime({ offset: true }).optional(),
    after_sequence: z.int().min(0).optional(),
    wait_ms: z.int().min(0).max(20_000).optional(),
    before_sequence: z.int().min(1).optional(),
    limit: z.int().min(1).max(1000).default(100),
    min_sequence: minSequence,
  }),
  z.object({
    entries: z.array(LogEntrySchema.extend({ logical_operation_id: LogicalOperationIdSchema.nullable() })),
    /** Give it as `after_sequence` to go on: everything up to here was looked at. */
    cursor: z.int().min(0),
    /** There is more in the direction that was asked for. */
    more: z.boolean(),
    /**
     * Where there is more before: give it as `before_sequence` to go on. With a glob there may be no entry that says it,
     * as only so many are looked at for one answer.
     */
    before: z.int().min(1).optional(),
  }),
);

/** What a failure met: the path it failed at, and paths that a third party changed midway. */
export const FailureSchema = OperationFailed.data.pick({
  path: true,
  expected: true,
  found: true,
  needs_attention: true,
});
export type Failure = z.infer<typeof FailureSchema>;

/** One line of the log by its sequence or its logical operation, with all that is known of a failure or denial. */
export const QueryEntry = defineCall(
  'query',
  'entry',
  z.object({ id: z.union([z.int().min(1), LogicalOperationIdSchema]), min_sequence: minSequence }),
  z.object({
    entry: LogEntrySchema.extend({ logical_operation_id: LogicalOperationIdSchema.nullable() }),
    intent_id: IntentIdSchema,
    /** The newest one, where something failed. */
    failure: FailureSchema.nullable(),
    /** Root of the workspace, where content that nobody owns any more is `kept`; null where it is not known. */
    root: z.string().nullable(),
  }),
);

export const OperationDetailSchema = OperationRecordSchema.extend({
  sequence: z.int().min(1),
  time: z.string(),
  workspace: WorkspaceNameSchema,
  kind: z.enum(['operation', 'rollback']),
  undone_by: OperationIdSchema.nullable(),
});

/** One operation, all fields. `id` may also be a logical operation: all of its operations, from the first, by pages. */
export const QueryOperation = defineCall(
  'query',
  'operation',
  z.object({
    id: z.union([OperationIdSchema, LogicalOperationIdSchema]),
    from: z.int().min(0).default(0),
    limit: z.int().min(1).max(1000).default(1000),
    min_sequence: minSequence,
  }),
  z.object({ operations: z.array(OperationDetailSchema), total: z.int().min(0) }),
);

/**
 * What happened to one path, newest first, and why: moves are followed back to the names that the object had before.
 * Agents see what they may see in the log.
 */
export const QueryHistory = defineCall(
  'query',
  'history',
  z.object({
    path: TypedPathSchema,
    before_sequence: z.int().min(1).optional(),
    limit: z.int().min(1).max(1000).default(100),
    min_sequence: minSequence,
  }),
  z.object({
    changes: z.array(
      OperationDetailSchema.extend({
        /** What the session was for. */
        task: z.string().nullable(),
        conversation_id: z.string().nullable(),
      }),
    ),
    more: z.boolean(),
  }),
);

/**
 * Operators only. Replays the log into an empty database beside the running one and switches over once it has caught
 * up; `query.status` tells how far it is. One at a time: another call joins the one that runs.
 */
export const QueryRebuild = defineCall('query', 'rebuild', z.object({}), z.object({ started: z.boolean() }));

export const SessionRowSchema = z.object({
  session_id: SessionIdSchema,
  agent: PrincipalSchema,
  status: z.enum(['active', 'completed', 'archived']),
  task: z.string(),
  conversation_id: z.string().nullable(),
  model: ModelSchema.nullable(),
  opened_at: z.string(),
  completed_at: z.string().nullable(),
  operations: z.int().min(0),
});
export const QuerySessions = defineCall(
  'query',
  'sessions',
  z.object({ min_sequence: minSequence }),
  z.object({ sessions: z.array(SessionRowSchema) }),
);

export const QueryWorkspaces = defineCall(
  'query',
  'workspaces',
  z.object({ min_sequence: minSequence }),
  z.object({
    workspaces: z.array(
      z.object({
        name: WorkspaceNameSchema,
        root: z.string(),
        policy: z.string().nullable(),
        policy_version: z.int().min(0),
        members: z.array(z.union([AgentNameSchema, PrincipalSchema])),
        logical_operations: z.int().min(0),
        /** What was stored of what stood there at the registration; `null`: not yet. */
        baseline: z
          .object({
            sequence: z.int().min(1),
            manifest_hash: z.string(),
            files: z.int().min(0),
            bytes: z.int().min(0),
            ignored_rules: z.array(z.string()),
            ignored_entries: z.int().min(0),
            skipped: z.int().min(0),
          })
          .nullable(),
      }),
    ),
  }),
);

/** The recorded state of a path after a sequence or an operation (the newest where neither is given). */
export const QueryVersion = defineCall(
  'query',
  'version',
  z.object({
    path: TypedPathSchema,
    at_sequence: z.int().min(1).optional(),
    operation_id: OperationIdSchema.optional(),
    min_sequence: minSequence,
  }),
  z.object({ path: z.string(), sequence: z.int().min(1), state: PathStateSchema, operation_id: OperationIdSchema }),
);

/** What became of an intent; `undecided` also where it never arrived. */
export const QueryOutcome = defineCall(
  'query',
  'outcome',
  z.object({ intent_id: IntentIdSchema }),
  z.object({
    status: z.enum(['undecided', 'authorized', 'denied', 'applied', 'failed', 'completed']),
    sequence: z.int().min(1).nullable(),
    /** The event's type and data that ended it. */
    type: z.string().nullable(),
    data: z.unknown(),
  }),
);

/** Where the read models stand. `lag`: events of the log not folded yet. */
export const QueryStatus = defineCall(
  'query',
  'status',
  z.object({}),
  z.object({
    sequence: z.int().min(0),
    last_sequence: z.int().min(0),
    lag: z.int().min(0),
    rejected: z.int().min(0),
    /** Events of kinds that the running version does not know, passed by. */
    unknown: z.int().min(0).optional(),
    /** The rebuild that runs, or how the last one since the start ended; `null`: none was asked for. */
    rebuild: z
      .object({
        status: z.enum(['running', 'done', 'failed']),
        sequence: z.int().min(0),
        last_sequence: z.int().min(0),
        message: z.string().nullable(),
      })
      .nullable(),
  }),
);
