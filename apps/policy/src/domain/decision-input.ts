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
  IntentId,
  LogicalOperationId,
  OperationId,
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
import type { InflightOperation, SessionRow } from './rows.js';

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
  /** The intent that spent an operation id. */
  readonly spentBy: (id: OperationId) => IntentId | undefined;
  /** The newest authorized and unfinished operation on exactly this path. */
  readonly newestInflight: (path: string) => InflightOperation | undefined;
}

/** Answers of others: absent means "not asked yet", `unavailable` that waiting for it ended. */
export interface Findings {
  readonly withdrawn: boolean;
  /** Links are to be followed from the start. */
  readonly follow: boolean;
  readonly facts?: { readonly follow: boolean; readonly byPath: ReadonlyMap<string, Fact> } | 'unavailable';
  readonly blobs?: { readonly missing: readonly BlobHash[] } | 'unavailable';
  readonly plan?: RollbackPlan | 'unknown' | 'unavailable';
}

export type DecisionEvent =
  | EventEnvelope<typeof IntentAuthorized>
  | EventEnvelope<typeof IntentDenied>
  | EventEnvelope<typeof SessionOpened>
  | EventEnvelope<typeof SessionCompleted>
  | EventEnvelope<typeof RollbackAuthorized>;

/** A decision, or what is missing to reach one. */
export type Decision =
  | { readonly kind: 'decided'; readonly event: DecisionEvent }
  | { readonly kind: 'need_facts'; readonly paths: readonly WorkspacePath[]; readonly follow: boolean }
  | { readonly kind: 'need_blobs'; readonly hashes: readonly BlobHash[] }
  | { readonly kind: 'need_plan'; readonly planHash: string };

/** Everything a decision is made from. */
export interface DecisionInput<I extends DecidableIntent = DecidableIntent> {
  readonly intent: I;
  readonly asked: Asked;
  readonly state: StateView;
  readonly findings: Findings;
}
