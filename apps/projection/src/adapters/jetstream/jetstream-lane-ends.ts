import { StreamEnds } from '@retrace/event-log';
import type { NatsConnection } from '@nats-io/transport-node';
import type { LaneEnds } from '../../ports/lane-ends.port.js';

/** Asks the stream's leader: a lagging replica would make a query miss its caller's own write. */
export class JetStreamLaneEnds implements LaneEnds {
  private constructor(private readonly log: StreamEnds) {}

  static async open(connection: NatsConnection): Promise<JetStreamLaneEnds> {
    return new JetStreamLaneEnds(await StreamEnds.open(connection));
  }

  last(): Promise<number> {
    return this.log.last();
  }

  newestIn(lane: string): Promise<number> {
    return this.log.newestUnder(`retrace.event.${lane}.>`);
  }
}
