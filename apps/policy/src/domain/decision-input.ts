import type {
  ActionClass,
  BlobHash,
  ErrorCode,
  EventEnvelope,
  EventId,
  Fact,
  Intent,
  IntentAuthorized,
  IntentDenied,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationId,
  LogicalOperationOpened,
  OperationId,
  OperationRequest,
  OperationsBlob,
  Principal,
  RollbackAuthorized,
  RollbackId,
  RollbackPlan,
  SessionCompleted,
  SessionId,
  SessionOpened,
  WithdrawIntent,
  WorkspaceName,
  WorkspacePath,
} from '@retrace/contracts';
import type { InflightOperation, LogicalOperationRow, OperationRow, SessionRow } from './rows.js';

/** A withdrawal is not decided itself: it ends the wait of the intent that it names. */
export type DecidableIntent = Exclude<Intent, WithdrawIntent>;

/** What the rules say about one class and path. */
export interface Verdict {
  readonly allowed: boolean;
  readonly rule: string;
  readonly code: ErrorCode | null;
  readonly message: string;
}

/** The policy in force, with the deciding principal already in it. */
export interface PolicyView {
  readonly version: number;
  readonly judge: (actionClass: ActionClass, path: string) => Verdict;
}

/** Who asked, as the subject says; the attempt; ids and time, all made outside. */
export interface Asked {
  readonly workspace: WorkspaceName;
  readonly principal: Principal;
  readonly inSequence: number;
  /** From 1. */
  readonly attempt: number;
  readonly eventId: EventId;
  readonly logicalOperationId: LogicalOperationId;
  readonly rollbackId: RollbackId;
  /** Of the rollback that an abort leads to. */
  readonly rollbackLogicalOperationId: LogicalOperationId;
  /** Which part of its logical operation this was at its first attempt. */
  readonly part: number | undefined;
  /** The id of what an asked operation does at one of the paths that it reaches. */
  readonly partId: (asked: OperationId, path: string) => OperationId;
  /** RFC 3339. */
  readonly time: string;
  /** What caused this attempt: the intent, or the event that sent it back. */
  readonly causationId: string;
}

/** The state at the moment of deciding. */
export interface StateView {
  readonly registered: boolean;
  /** Operators are members everywhere. */
  readonly member: boolean;
  readonly policy: PolicyView | undefined;
  readonly session: (id: SessionId) => SessionRow | undefined;
  /** The row of a logical operation, open or not. */
  readonly logicalOperation: (id: LogicalOperationId) => LogicalOperationRow | undefined;
  /** Whose intent spent an operation id. */
  readonly spentBy: (id: OperationId) => OperationRow | undefined;
  /** The newest authorized and unfinished operation on exactly this path. */
  readonly newestInflight: (path: string) => InflightOperation | undefined;
}

/**
 * A path that must be looked at once no work in flight can change what is found: it and what is above, or, where it is
 * `deep`, also everything below.
 */
export interface Reach {
  readonly path: WorkspacePath;
  readonly deep: boolean;
}

/** What was found: the path itself first; where `deep`, then all that lies below. */
export interface Tree {
  readonly facts: readonly Fact[];
  readonly deep: boolean;
  /** More lies below than one logical operation may reach. */
  readonly more: boolean;
}

/** What a blob of operations held. `malformed`: nothing that an intent could have listed. */
export type ReadOperations =
  | { readonly kind: 'read'; readonly operations: readonly OperationRequest[] }
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'missing' }
  /** Too many large intents were held. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'unavailable' };

/** Answers of others: absent means "not asked yet", `unavailable` that waiting for it ended. */
export interface Findings {
  readonly withdrawn: boolean;
  /** Links are to be followed from the start. */
  readonly follow: boolean;
  readonly facts?: { readonly follow: boolean; readonly byPath: ReadonlyMap<string, Fact> } | 'unavailable';
  readonly blobs?: { readonly missing: readonly BlobHash[] } | 'unavailable';
  /** By path. `busy`: work in flight on these paths did not end in time. */
  readonly trees?: ReadonlyMap<string, Tree> | 'busy' | 'unavailable';
  readonly operations?: ReadOperations;
  /** The parts of a logical operation did not end in time. */
  readonly parts?: 'busy';
  readonly plan?: RollbackPlan | 'unknown' | 'unavailable';
}

export type DecisionEvent =
  | EventEnvelope<typeof IntentAuthorized>
  | EventEnvelope<typeof IntentDenied>
  | EventEnvelope<typeof SessionOpened>
  | EventEnvelope<typeof SessionCompleted>
  | EventEnvelope<typeof LogicalOperationOpened>
  | EventEnvelope<typeof LogicalOperationCommitted>
  | EventEnvelope<typeof LogicalOperationAborted>
  | EventEnvelope<typeof RollbackAuthorized>;

/** A decision, or what is missing to reach one. */
export type Decision =
  | { readonly kind: 'decided'; readonly event: DecisionEvent }
  | { readonly kind: 'need_facts'; readonly paths: readonly WorkspacePath[]; readonly follow: boolean }
  | { readonly kind: 'need_trees'; readonly reaches: readonly Reach[] }
  | { readonly kind: 'need_operations'; readonly blob: OperationsBlob }
  /** Every authorized part of it must have its outcome first. */
  | { readonly kind: 'need_outcomes'; readonly logicalOperationId: LogicalOperationId }
  | { readonly kind: 'need_blobs'; readonly hashes: readonly BlobHash[] }
  | { readonly kind: 'need_plan'; readonly planHash: string };

/** Everything a decision is made from. */
export interface DecisionInput<I extends DecidableIntent = DecidableIntent> {
  readonly intent: I;
  readonly asked: Asked;
  readonly state: StateView;
  readonly findings: Findings;
}
