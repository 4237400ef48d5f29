import {
  IntentAuthorized,
  IntentDenied,
  IntentStale,
  LogicalOperationAborted,
  LogicalOperationCommitted,
  LogicalOperationOpened,
  MemberAdded,
  MessageRejected,
  OperationApplied,
  OperationFailed,
  PolicyPublished,
  RollbackAuthorized,
  SessionCompleted,
  SessionOpened,
  type StoredEvent,
  WorkspaceRegistered,
} from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { LogFolder } from '../state/log-folder.js';

/** Everything that policy folds: one event, one line. */
@Controller()
export class LogEventsHandler {
  constructor(private readonly folder: LogFolder) {}

  @OnEvent(IntentAuthorized)
  intentAuthorized(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(IntentDenied)
  intentDenied(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(IntentStale)
  intentStale(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(OperationApplied)
  operationApplied(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(OperationFailed)
  operationFailed(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(SessionOpened)
  sessionOpened(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(SessionCompleted)
  sessionCompleted(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(MemberAdded)
  memberAdded(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(PolicyPublished)
  policyPublished(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(WorkspaceRegistered)
  workspaceRegistered(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(RollbackAuthorized)
  rollbackAuthorized(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(LogicalOperationOpened)
  logicalOperationOpened(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(LogicalOperationCommitted)
  logicalOperationCommitted(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(LogicalOperationAborted)
  logicalOperationAborted(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }

  @OnEvent(MessageRejected)
  messageRejected(event: StoredEvent, delivery: LaneDelivery): void {
    this.folder.take(event, delivery);
  }
}
