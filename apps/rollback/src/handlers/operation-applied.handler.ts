import { OperationApplied, type StoredEvent } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { EventFolder } from '../folding/event-folder.js';

@Controller()
export class OperationAppliedHandler {
  constructor(private readonly folder: EventFolder) {}

  @OnEvent(OperationApplied)
  handle(event: StoredEvent<typeof OperationApplied>, delivery: LaneDelivery): void {
    this.folder.applied(event, delivery);
  }
}
