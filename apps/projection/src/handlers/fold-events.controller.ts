import {
  AccessRefused,
  IntentAuthorized,
  IntentDenied,
  IntentStale,
  MemberAdded,
  MessageRejected,
  OperationApplied,
  OperationFailed,
  PolicyPublished,
  RollbackAuthorized,
  RollbackCompleted,
  RollbackStepRequested,
  SessionCompleted,
  SessionOpened,
  WorkspaceRegistered,
} from '@retrace/contracts';
import type { StoredEvent } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { LaneFolds } from '../folding/lane-folds.js';

/** Projection folds every event of the catalogue in the same way; what each changes stands in `@retrace/read-models`. */
@Controller()
export class FoldEventsController {
  constructor(private readonly lanes: LaneFolds) {}

  @OnEvent(IntentAuthorized)
  intentAuthorized(event: StoredEvent<typeof IntentAuthorized>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(IntentDenied)
  intentDenied(event: StoredEvent<typeof IntentDenied>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(IntentStale)
  intentStale(event: StoredEvent<typeof IntentStale>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(OperationApplied)
  operationApplied(event: StoredEvent<typeof OperationApplied>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(OperationFailed)
  operationFailed(event: StoredEvent<typeof OperationFailed>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(SessionOpened)
  sessionOpened(event: StoredEvent<typeof SessionOpened>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(SessionCompleted)
  sessionCompleted(event: StoredEvent<typeof SessionCompleted>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(WorkspaceRegistered)
  workspaceRegistered(event: StoredEvent<typeof WorkspaceRegistered>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(PolicyPublished)
  policyPublished(event: StoredEvent<typeof PolicyPublished>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(MemberAdded)
  memberAdded(event: StoredEvent<typeof MemberAdded>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(AccessRefused)
  accessRefused(event: StoredEvent<typeof AccessRefused>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(RollbackAuthorized)
  rollbackAuthorized(event: StoredEvent<typeof RollbackAuthorized>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(RollbackStepRequested)
  rollbackStepRequested(event: StoredEvent<typeof RollbackStepRequested>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(RollbackCompleted)
  rollbackCompleted(event: StoredEvent<typeof RollbackCompleted>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }

  @OnEvent(MessageRejected)
  messageRejected(event: StoredEvent<typeof MessageRejected>, delivery: LaneDelivery): Promise<void> {
    return this.lanes.fold(event, delivery);
  }
}
