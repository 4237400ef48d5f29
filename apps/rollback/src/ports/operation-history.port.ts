import type { LogicalOperationId, OperationId, Principal, SessionId, WorkspaceName } from '@retrace/contracts';
import type { IndexedOperation } from '../domain/operation-index.js';
import type { Resolved } from '../domain/selecting.js';
import type { Surroundings } from '../domain/surroundings.js';

/** A logical operation of which nothing was applied: there is nothing to take back, and that can be said. */
export interface FailedOperation {
  readonly logical_operation_id: LogicalOperationId;
  readonly session_id: SessionId | null;
  readonly agent: Principal;
  readonly code: string;
}

/** The recorded past of workspaces, folded from the log. Reads see whole events only. */
export abstract class OperationHistory {
  /** The sequence up to which the workspace's lane is folded; 0: nothing yet. */
  abstract foldedTo(workspace: WorkspaceName): number;
  /** Everything selected, or the first `limit` of it. */
  abstract selected(workspace: WorkspaceName, selection: Resolved, limit: number): IndexedOperation[];
  /** All operations on these paths and below these folders, or the first `limit` of them. */
  abstract around(workspace: WorkspaceName, surroundings: Surroundings, limit: number): IndexedOperation[];
  abstract ownerOf(workspace: WorkspaceName, operation: OperationId): LogicalOperationId | undefined;
  /** The session's applied logical operation number `step`, from 1; rollbacks are not counted. */
  abstract stepOf(workspace: WorkspaceName, session: SessionId, step: number): LogicalOperationId | undefined;
  /** How many of them there are. */
  abstract stepCount(workspace: WorkspaceName, session: SessionId): number;
  /** A failed logical operation that the selection names, where one is known. */
  abstract failure(workspace: WorkspaceName, selection: Resolved): FailedOperation | undefined;
}
