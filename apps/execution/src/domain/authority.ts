import type {
  AuthorizedOperation,
  EventId,
  IntentId,
  LogicalOperationId,
  OperationId,
  Principal,
  Provenance,
  RestoreStep,
  RollbackId,
  SessionId,
  StoredEvent,
  WorkspaceName,
} from '@retrace/contracts';
import type { IntentAuthorized, RollbackStepRequested } from '@retrace/contracts';

export type RestoreOperation = RestoreStep & { readonly operation_id: OperationId };

/** What is to be done, whichever event gave the right to do it. */
export type Work =
  | { readonly kind: 'operation'; readonly operations: readonly AuthorizedOperation[] }
  | { readonly kind: 'rollback'; readonly steps: readonly RestoreOperation[] };

/** The right to change paths, and all that the outcome must say about it. */
export interface Authority {
  readonly workspace: WorkspaceName;
  readonly agent: Principal;
  /** The event that gives it. */
  readonly sequence: number;
  readonly eventId: EventId;
  readonly intentId: IntentId;
  readonly inSequence: number;
  readonly attempt: number;
  readonly logicalOperationId: LogicalOperationId;
  readonly sessionId: SessionId | null;
  readonly rollbackId: RollbackId | null;
  readonly part: number;
  readonly traceparent: string | undefined;
  readonly tool: string | null;
  readonly model: { id: string; version?: string | undefined } | null;
  readonly reason: string | null;
  readonly provenance: Provenance;
  readonly rule: { policy_version: number; rule: string };
  readonly work: Work;
}

export function authorityOfIntent(event: StoredEvent<typeof IntentAuthorized>): Authority {
  const { data } = event;
  return {
    ...address(event),
    intentId: data.intent_id,
    inSequence: data.in_sequence,
    attempt: data.attempt,
    logicalOperationId: data.logical_operation_id,
    sessionId: data.session_id,
    rollbackId: null,
    part: data.part,
    tool: data.tool,
    model: data.model,
    reason: data.reason,
    provenance: data.provenance,
    rule: data.operations[0]!.decision,
    work: { kind: 'operation', operations: data.operations },
  };
}

export function authorityOfStep(event: StoredEvent<typeof RollbackStepRequested>): Authority {
  const { data } = event;
  return {
    ...address(event),
    intentId: data.intent_id,
    inSequence: 0,
    attempt: 1,
    logicalOperationId: data.logical_operation_id,
    sessionId: null,
    rollbackId: data.rollback_id,
    part: data.part,
    tool: 'undo',
    model: null,
    reason: data.reason,
    provenance: {},
    rule: data.decision,
    work: { kind: 'rollback', steps: data.steps },
  };
}

const address = (event: StoredEvent<typeof IntentAuthorized> | StoredEvent<typeof RollbackStepRequested>) => ({
  workspace: event.workspace,
  agent: event.agent,
  sequence: event.sequence,
  eventId: event.id,
  traceparent: event.traceparent,
});
