import {
  type EventData,
  IntentDenied,
  type IntentId,
  LogicalOperationCommitted,
  type LogicalOperationId,
  LogicalOperationOpened,
  OperationApplied,
  OperationFailed,
  type OperationRecord,
  RollbackCompleted,
  SessionCompleted,
  type SessionId,
  SessionOpened,
  upcast,
} from '@retrace/contracts';
import { IntentDeniedError, operationFailed, type OperationFailedError } from '../errors.js';
import { operationCountOf } from './whole-outcome.js';

/** A logical operation is on the disk. */
export interface Applied {
  readonly kind: 'applied';
  readonly intentId: IntentId;
  readonly logicalOperationId: LogicalOperationId;
  /** Of the event in the log. */
  readonly sequence: number;
  readonly operations: readonly OperationRecord[];
  /** How many there are: more than `operations` holds only where it was heard of late and the others cannot be read. */
  readonly operationCount: number;
}

export interface SessionChanged {
  readonly kind: 'session';
  readonly intentId: IntentId;
  readonly sessionId: SessionId;
  readonly status: 'active' | 'completed';
  readonly sequence: number;
}

export interface UndoReport {
  readonly kind: 'undo';
  readonly intentId: IntentId;
  readonly sequence: number;
  readonly logicalOperationId: LogicalOperationId;
  readonly outcome: EventData<typeof RollbackCompleted>['outcome'];
  readonly report: EventData<typeof RollbackCompleted>;
}

/** A logical operation that several calls fill began, or is one whole. */
export interface LogicalOperationChanged {
  readonly kind: 'opened' | 'committed';
  readonly intentId: IntentId;
  readonly logicalOperationId: LogicalOperationId;
  readonly sessionId: SessionId;
  readonly sequence: number;
}

/** How an intent ended well. */
export type Settled = Applied | SessionChanged | UndoReport | LogicalOperationChanged;
/** How an intent ended. */
export type IntentEnd = Settled | IntentDeniedError | OperationFailedError;

/** An event as the server republished it, or as projection remembers it. */
export interface OutcomeEvent {
  readonly type: string;
  readonly data: unknown;
  readonly sequence: number;
}

/**
 * Says how an event ends its intent; `undefined`: it does not (authorized, stale, the abort that a rollback follows, a
 * part of a rollback, kinds not known here). Throws a ZodError where the data is not what its type promises.
 */
export function conclude(event: OutcomeEvent): IntentEnd | undefined {
  const { type, data } = upcast(event.type, event.data);
  const { sequence } = event;
  switch (type) {
    case IntentDenied.type:
      return new IntentDeniedError(IntentDenied.data.parse(data), sequence);
    case OperationApplied.type:
      return applied(OperationApplied.data.parse(data), sequence, operationCountOf(data));
    case OperationFailed.type:
      return failed(OperationFailed.data.parse(data), sequence);
    case SessionOpened.type:
      return session(SessionOpened.data.parse(data), 'active', sequence);
    case SessionCompleted.type:
      return session(SessionCompleted.data.parse(data), 'completed', sequence);
    case LogicalOperationOpened.type:
      return changed(LogicalOperationOpened.data.parse(data), 'opened', sequence);
    case LogicalOperationCommitted.type:
      return changed(LogicalOperationCommitted.data.parse(data), 'committed', sequence);
    case RollbackCompleted.type:
      return undone(RollbackCompleted.data.parse(data), sequence);
    default:
      return undefined;
  }
}

function applied(
  data: EventData<typeof OperationApplied>,
  sequence: number,
  operationCount: number = data.operations.length,
): Applied | undefined {
  if (data.kind === 'rollback') return undefined;
  const { intent_id: intentId, logical_operation_id: logicalOperationId, operations } = data;
  return { kind: 'applied', intentId, logicalOperationId, sequence, operations, operationCount };
}

const failed = (data: EventData<typeof OperationFailed>, sequence: number): OperationFailedError | undefined =>
  data.kind === 'rollback' ? undefined : operationFailed(data, sequence);

const session = (
  data: EventData<typeof SessionCompleted>,
  status: SessionChanged['status'],
  sequence: number,
): SessionChanged => ({ kind: 'session', intentId: data.intent_id, sessionId: data.session_id, status, sequence });

const changed = (
  data: EventData<typeof LogicalOperationCommitted>,
  kind: LogicalOperationChanged['kind'],
  sequence: number,
): LogicalOperationChanged => {
  const { intent_id: intentId, logical_operation_id: logicalOperationId, session_id: sessionId } = data;
  return { kind, intentId, logicalOperationId, sessionId, sequence };
};

const undone = (data: EventData<typeof RollbackCompleted>, sequence: number): UndoReport => ({
  kind: 'undo',
  intentId: data.intent_id,
  sequence,
  logicalOperationId: data.logical_operation_id,
  outcome: data.outcome,
  report: data,
});
