import { LOG_STREAM } from '@retrace/contracts';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { LaneEnds } from '../../ports/lane-ends.port.js';

const NO_MESSAGE = 10037;

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
    try {
      return (await this.jsm.streams.getMessage(LOG_STREAM, { last_by_subj: `retrace.event.${lane}.>` }))?.seq ?? 0;
    } catch (error) {
      if ((error as { code?: unknown }).code === NO_MESSAGE) return 0;
      throw error;
    }
  }
}
