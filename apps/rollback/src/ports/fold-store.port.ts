import type {
  EventEnvelope,
  EventId,
  LogicalOperationId,
  OperationId,
  RollbackId,
  RollbackPlan,
  WorkspaceName,
} from '@retrace/contracts';
import type { Position } from '@retrace/event-log';
import type { IndexedOperation } from '../domain/operation-index.js';
import type { RollbackState } from '../domain/rollback.saga.js';
import type { FailedOperation } from './operation-history.port.js';

/** Which event is folded, and where it stands. */
export interface FoldPlace {
  readonly lane: string;
  readonly position: Position;
  readonly workspace: WorkspaceName;
  readonly eventId: EventId;
}

/** What a fold may look at: the store as it is before the event. */
export interface FoldView {
  saga(rollback: RollbackId): RollbackState;
  plan(planHash: string): RollbackPlan | undefined;
  ownerOf(operation: OperationId): LogicalOperationId | undefined;
}

export interface FoldEffect {
  readonly operations?: readonly IndexedOperation[];
  readonly failure?: FailedOperation;
  readonly saga?: { readonly rollbackId: RollbackId; readonly planHash: string; readonly state: RollbackState };
  readonly outbox?: readonly EventEnvelope[];
}

/** Folds events: effect and position in one transaction, each event once by its id. */
export abstract class FoldStore {
  /** `effect` is called inside the transaction, and not for an event that was folded before. */
  abstract fold(place: FoldPlace, effect: (view: FoldView) => FoldEffect): void;
  /** Goes past a message without an effect. */
  abstract pass(lane: string, position: Position): void;
  /** Forgets what was folded from a lane, so that it is folded again from the start. Plans stay. */
  abstract forget(lane: string): void;
}
