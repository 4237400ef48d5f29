import { OperationApplied, type StoredEvent } from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { OnEvent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import { SeenContents } from './seen-contents.js';

/** Whose history a content belongs to. */
@Controller()
export class SeenHandlers {
  constructor(private readonly seen: SeenContents) {}

  @OnEvent(OperationApplied)
  applied(event: StoredEvent<typeof OperationApplied>, { lane, position }: LaneDelivery): void {
    this.seen.fold(event, lane, position);
  }
}
