import type { OperationId, PathState, Principal, SessionId } from '@retrace/contracts';

/** The last state of a path that is on record: what an operation left, or what the baseline found. */
export interface Recorded {
  readonly state: PathState;
  /** `null` until the log has answered with the sequence of the outcome. */
  readonly sequence: number | null;
  /** `null`: it stood there when the workspace was registered. */
  readonly operationId: OperationId | null;
  /** The move that took the object away: its own record is of the path that the object went to. */
  readonly movedBy?: OperationId | undefined;
  readonly sessionId: SessionId | null;
  /** The blob store has the content, or the journal until it does: another record need not keep it. */
  readonly stored?: boolean | undefined;
  /** `_` where no operation left it. */
  readonly agent: Principal;
}

/** Who left it, for messages. */
export const describeWriter = ({ operationId, agent, sessionId }: Recorded): string =>
  operationId === null
    ? 'as it stood when the workspace was registered'
    : `last written by ${agent}${sessionId ? ` in ${sessionId}` : ''} (${operationId})`;
