import { OperationFailed, type StoredEvent } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { EventFolder } from '../folding/event-folder.js';

@Controller()
export class OperationFailedHandler {
  constructor(private readonly folder: EventFolder) {}

  @OnEvent(OperationFailed)
  handle(event: StoredEvent<typeof OperationFailed>, delivery: LaneDelivery): void {
    this.folder.failed(event, delivery);
  }
}
