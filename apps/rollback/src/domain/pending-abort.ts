import type { LogicalOperationId } from '@retrace/contracts';
import type { Authorization } from './rollback-work.js';

/** The plan that takes an aborted logical operation back, and how many parts were applied before it was made. */
export interface AbortPlan {
  readonly plan_hash: string;
  readonly applied: number;
}

/** A logical operation that was aborted, until it is planned how to take it back. */
export interface PendingAbort {
  /** All but the plan. */
  readonly authorization: Omit<Authorization, 'plan_hash'>;
  /** What is taken back. */
  readonly aborted: LogicalOperationId;
  /** The event that says so, and its place in the log. */
  readonly event_id: string;
  readonly sequence: number;
  /** Parts of the way back that are applied already: planned by a store that is lost. */
  readonly applied: number;
}
