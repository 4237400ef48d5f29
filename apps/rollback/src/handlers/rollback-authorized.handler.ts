import { RollbackAuthorized, type StoredEvent } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { EventFolder } from '../folding/event-folder.js';

@Controller()
export class RollbackAuthorizedHandler {
  constructor(private readonly folder: EventFolder) {}

  @OnEvent(RollbackAuthorized)
  handle(event: StoredEvent<typeof RollbackAuthorized>, delivery: LaneDelivery): void {
    this.folder.authorized(event, delivery);
  }
}
