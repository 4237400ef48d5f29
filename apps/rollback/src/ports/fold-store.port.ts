import type {
  EventEnvelope,
  EventId,
  LogicalOperationId,
  OperationId,
  RestoreStep,
  RollbackId,
  RollbackPlan,
  WorkspaceName,
} from '@retrace/contracts';
import type { Position } from '@retrace/event-log';
import type { IndexedOperation } from '../domain/operation-index.js';
import type { AbortPlan, PendingAbort } from '../domain/pending-abort.js';
import type { RollbackState } from '../domain/rollback.saga.js';
import type { FailedOperation } from './operation-history.port.js';
import type { KeptPlan } from './plan-store.port.js';

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
  plan(planHash: string): KeptPlan | undefined;
  part(planHash: string, part: number): readonly RestoreStep[];
  ownerOf(operation: OperationId): LogicalOperationId | undefined;
  /** An aborted logical operation that is not planned yet. */
  abort(rollback: RollbackId): PendingAbort | undefined;
  /** The plan that was made for it before. */
  abortPlan(rollback: RollbackId): AbortPlan | undefined;
}

export interface FoldEffect {
  readonly operations?: readonly IndexedOperation[];
  readonly failure?: FailedOperation;
  readonly saga?: { readonly rollbackId: RollbackId; readonly planHash: string; readonly state: RollbackState };
  readonly outbox?: readonly EventEnvelope[];
  /** Waits to be planned. */
  readonly abort?: PendingAbort;
  /** Waits no more. */
  readonly abortSettled?: RollbackId;
}

/** Folds events: effect and position in one transaction, each event once by its id. */
export abstract class FoldStore {
  /** `effect` is called inside the transaction, and not for an event that was folded before. */
  abstract fold(place: FoldPlace, effect: (view: FoldView) => FoldEffect): void;
  /** Goes past a message without an effect. */
  abstract pass(lane: string, position: Position): void;
  /** Forgets what was folded from a lane, so that it is folded again from the start. Plans stay. */
  abstract forget(lane: string): void;
  /** Aborted logical operations that wait to be planned. */
  abstract aborts(): PendingAbort[];
  /**
   * Keeps the plan for an aborted logical operation, and what follows from it, in one transaction; nothing where it waits
   * no more. `now`: ms since 1970.
   */
  abstract planAbort(
    pending: PendingAbort,
    plan: RollbackPlan,
    now: number,
    effect: (view: FoldView, pending: PendingAbort) => FoldEffect,
  ): void;
  /** What follows where there is no plan for an aborted logical operation; nothing where it waits no more. */
  abstract endAbort(pending: PendingAbort, effect: (view: FoldView, pending: PendingAbort) => FoldEffect): void;
}
