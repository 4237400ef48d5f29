import { RollbackCompleted, type StoredEvent } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { EventFolder } from '../folding/event-folder.js';

@Controller()
export class RollbackCompletedHandler {
  constructor(private readonly folder: EventFolder) {}

  @OnEvent(RollbackCompleted)
  handle(event: StoredEvent<typeof RollbackCompleted>, delivery: LaneDelivery): void {
    this.folder.completed(event, delivery);
  }
}
