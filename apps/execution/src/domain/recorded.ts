import type { OperationId, PathState, Principal, SessionId } from '@retrace/contracts';

/** The last change of a path that is on record. */
export interface Recorded {
  readonly state: PathState;
  /** `null` until the log has answered with the sequence of the outcome. */
  readonly sequence: number | null;
  readonly operationId: OperationId;
  readonly sessionId: SessionId | null;
  readonly agent: Principal;
}
