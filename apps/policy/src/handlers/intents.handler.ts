import type { LaneDelivery } from '@retrace/event-log';
import { OnIntent } from '@retrace/messaging';
import { Controller } from '@nestjs/common';
import type { JsMsg } from '@nats-io/jetstream';
import { Intake } from '../intake/intake.js';

/** The agents' door: a message is taken in and decided later, in the order of its queue. */
@Controller()
export class IntentsHandler {
  constructor(private readonly intake: Intake) {}

  @OnIntent()
  async arrived({ subject, data, seq }: JsMsg, { signal }: LaneDelivery): Promise<void> {
    await this.intake.take({ subject, body: data, sequence: seq }, signal);
  }
}
