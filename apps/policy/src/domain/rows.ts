import type {
  EventData,
  EventId,
  IntentAuthorized,
  IntentId,
  OperationId,
  Principal,
  SessionOpened,
} from '@retrace/contracts';

/** What policy knows, folded from the log. */
export interface WorkspaceRow {
  readonly root: string;
  readonly sequence: number;
}

export interface MemberRow {
  readonly sequence: number;
}

export interface PolicyRow {
  readonly version: number;
  readonly name: string;
  readonly yaml: string;
  readonly published_by: Principal;
  readonly sequence: number;
}

export interface SessionRow {
  readonly status: 'active' | 'completed';
  readonly agent: Principal;
  readonly model: EventData<typeof SessionOpened>['model'];
}

/** The first decision of an intent's attempt: the one that counts. */
export interface DecisionRow {
  readonly sequence: number;
  readonly type: string;
}

/** An operation id is spent once an intent with it was authorized. */
export interface OperationRow {
  readonly intent_id: IntentId;
}

/** Authorized and not yet finished; enough to decide the intent again. */
export interface InflightRow {
  readonly sequence: number;
  readonly agent: Principal;
  readonly traceparent: string | null;
  /** Links are followed in this and all later attempts. */
  readonly follow: boolean;
  readonly authorized: EventData<typeof IntentAuthorized>;
}

/** Execution sent it back: the next attempt is to be decided. */
export interface StaleRow extends InflightRow {
  readonly attempt: number;
  readonly stale_event_id: EventId;
}

/** A message of `RETRACE_IN` that was passed by without a decision. */
export interface RejectedRow {
  readonly reason: string;
}

/** Keys begin with the workspace. */
export interface Tables {
  /** [workspace] */
  workspace: WorkspaceRow;
  /** [workspace, principal] */
  member: MemberRow;
  /** [workspace]: the newest. */
  policy: PolicyRow;
  /** [workspace, version] */
  policy_version: PolicyRow;
  /** [workspace, session] */
  session: SessionRow;
  /** [workspace, principal, intent, attempt] */
  decision: DecisionRow;
  /** [workspace, operation] */
  operation: OperationRow;
  /** [workspace, logical operation] */
  inflight: InflightRow;
  /** [workspace, principal, intent] */
  stale: StaleRow;
  /** [workspace, sequence in `RETRACE_IN`] */
  rejected: RejectedRow;
}

export type Table = keyof Tables;
export type RowKey = readonly [workspace: string, ...parts: (string | number)[]];

/** One row put, or removed where `value` is `undefined`. */
export type Change = {
  [T in Table]: { readonly table: T; readonly key: RowKey; readonly value: Tables[T] | undefined };
}[Table];

export interface RowReader {
  get<T extends Table>(table: T, key: RowKey): Tables[T] | undefined;
}

/** What stands at a path once an operation on it is applied. */
export type Leaves = 'something' | 'nothing';

export interface InflightOperation {
  readonly operation_id: OperationId;
  readonly path: string;
  readonly leaves: Leaves;
}

export const inflightOperations = ({ authorized }: InflightRow): InflightOperation[] =>
  authorized.operations.map(({ request, canonical }) => ({
    operation_id: request.operation_id,
    path: canonical,
    leaves: request.action === 'delete' ? 'nothing' : 'something',
  }));
