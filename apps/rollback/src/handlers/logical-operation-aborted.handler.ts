import { LogicalOperationAborted, type StoredEvent } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { EventFolder } from '../folding/event-folder.js';

@Controller()
export class LogicalOperationAbortedHandler {
  constructor(private readonly folder: EventFolder) {}

  @OnEvent(LogicalOperationAborted)
  handle(event: StoredEvent<typeof LogicalOperationAborted>, delivery: LaneDelivery): void {
    this.folder.aborted(event, delivery);
  }
}
