import type {
  AuthorizedOperation,
  EventData,
  EventId,
  IntentAuthorized,
  IntentId,
  LogicalOperationId,
  OperationId,
  OperationRequest,
  Principal,
  SessionId,
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
  /** Its logical operations that are neither committed nor aborted. */
  readonly open?: readonly LogicalOperationId[];
}

/** A logical operation that was opened, and what became of it. */
export interface OpenedRow {
  readonly status: 'open' | 'committed' | 'aborted';
  readonly agent: Principal;
  readonly session_id: SessionId;
  /** Milliseconds since 1970 after which it takes no more parts and is aborted. */
  readonly deadline: number;
  /** Parts authorized so far. */
  readonly parts: number;
  /** Paths that these change, as `effectsOf` counts them. */
  readonly paths: number;
  /** Of the parts, those whose outcome the log does not have. */
  readonly pending: number;
  /** Why it can only be aborted. */
  readonly failed?: { readonly code: string; readonly message: string };
}

/** `single`: the id names an intent's own logical operation, or a rollback's. */
export type LogicalOperationRow = OpenedRow | { readonly status: 'single' };

/** The first decision of an intent's attempt: the one that counts. */
export interface DecisionRow {
  readonly sequence: number;
  readonly type: string;
}

/** An operation id is spent once an intent with it was authorized, or a record has it. */
export interface OperationRow {
  readonly intent_id: IntentId;
  /** Intent ids are each principal's own: two may have the same. */
  readonly agent: Principal;
}

/** Authorized and not yet finished; enough to decide the intent again. */
export interface InflightRow {
  readonly sequence: number;
  readonly agent: Principal;
  readonly traceparent: string | null;
  /** Links are followed in this and all later attempts. */
  readonly follow: boolean;
  readonly authorized: Omit<EventData<typeof IntentAuthorized>, 'operations'>;
  /** The operations as they were asked for. */
  readonly requests: readonly OperationRequest[];
  /** What they do to single paths, in order. */
  readonly effects: readonly InflightOperation[];
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
  logical_operation: LogicalOperationRow;
  /** [workspace, logical operation, intent] */
  inflight: InflightRow;
  /** [workspace, principal, intent] */
  stale: StaleRow;
  /** [workspace, sequence in `RETRACE_IN`] */
  rejected: RejectedRow;
}

export type Table = keyof Tables;
export type RowKey = readonly [workspace: string, ...parts: (string | number)[]];

/** Names a row among all; no part of a key has blanks. */
export const nameOf = (table: Table, key: RowKey): string => `${table} ${key.join(' ')}`;

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
  /** Of the operation that leaves it. */
  readonly operation_id: OperationId;
  readonly path: string;
  readonly leaves: Leaves;
  /** The path is the one that a move takes from: its record there has an id of its own. */
  readonly source?: true;
}

/** What operations do to single paths: a move takes from one and puts to another. */
export const effectsOf = (operations: readonly AuthorizedOperation[]): InflightOperation[] =>
  operations.flatMap(({ request: { operation_id, action }, canonical, source }): InflightOperation[] => {
    switch (action) {
      case 'delete':
      case 'rmdir':
        return [{ operation_id, path: canonical, leaves: 'nothing' }];
      case 'move':
        return [
          ...(source ? [{ operation_id, path: source.canonical, leaves: 'nothing', source: true } as const] : []),
          { operation_id, path: canonical, leaves: 'something' },
        ];
      case 'create':
      case 'write':
      case 'edit':
      case 'append':
      case 'mkdir':
      case 'chmod':
      case 'symlink':
      case 'copy':
        return [{ operation_id, path: canonical, leaves: 'something' }];
    }
  });

/** The operations as they were asked for: without what they were expanded into. */
export const requestsOf = (operations: readonly AuthorizedOperation[]): OperationRequest[] =>
  operations.filter(({ part_of }) => part_of === undefined).map(({ request, asked }) => asked ?? request);
