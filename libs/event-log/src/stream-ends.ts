import { LOG_STREAM } from '@retrace/contracts';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Position } from './lanes/position.js';
import { leaderGet, newestWhole } from './newest-whole.js';

/**
 * What a stream says about how far it reaches. By the leader's word: a lagging replica would make whoever asks miss what
 * is there. Rejects where the leader does not answer; that is never "none".
 */
export class StreamEnds {
  private constructor(
    private readonly jsm: JetStreamManager,
    private readonly stream: string,
  ) {}

  static async open(connection: NatsConnection, stream: string = LOG_STREAM): Promise<StreamEnds> {
    return new StreamEnds(await jetstreamManager(connection, { checkAPI: false }), stream);
  }

  /** The newest sequence of all; 0 where there is none. */
  async last(): Promise<number> {
    return (await this.jsm.streams.info(this.stream)).state.last_seq;
  }

  /** The place of the newest whole event under a subject filter; 0 where there is none. */
  async newestUnder(filter: string): Promise<number> {
    return (await newestWhole(this.jsm, this.stream, filter)) ?? 0;
  }

  /** Whether the event of a position still stands there. */
  async stands({ sequence, eventId }: Position): Promise<boolean> {
    // The server takes 0 for a malformed question.
    if (sequence < 1) return false;
    const message = await leaderGet(this.jsm, this.stream, { seq: sequence });
    return message !== null && message.header.get('ce-id') === eventId;
  }
}
