import { LOG_STREAM } from '@retrace/contracts';
import { newestWhole } from '@retrace/event-log';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { LaneEnds } from '../../ports/lane-ends.port.js';

/** Asks the stream's leader: a lagging replica would make a query miss its caller's own write. */
export class JetStreamLaneEnds implements LaneEnds {
  private constructor(private readonly jsm: JetStreamManager) {}

  static async open(connection: NatsConnection): Promise<JetStreamLaneEnds> {
    return new JetStreamLaneEnds(await jetstreamManager(connection, { checkAPI: false }));
  }

  async last(): Promise<number> {
    return (await this.jsm.streams.info(LOG_STREAM)).state.last_seq;
  }

  async newestIn(lane: string): Promise<number> {
    return (await newestWhole(this.jsm, LOG_STREAM, `retrace.event.${lane}.>`)) ?? 0;
  }
}
