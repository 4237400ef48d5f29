import { LOG_STREAM } from '@retrace/contracts';
import { newestWhole, type Position } from '@retrace/event-log';
import { jetstreamManager, type JetStreamManager, type StoredMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { FOLDED_EVENTS } from '../../domain/fold-event.js';
import { LogEnds } from '../../ports/log-ends.port.js';

const NO_MESSAGE = 10037;

/** Asks the stream's leader for the last message of each kind. */
export class JetStreamLogEnds extends LogEnds {
  private constructor(private readonly jsm: JetStreamManager) {
    super();
  }

  static async open(connection: NatsConnection): Promise<JetStreamLogEnds> {
    return new JetStreamLogEnds(await jetstreamManager(connection, { checkAPI: false }));
  }

  async newest(lane: string): Promise<number> {
    // Most lanes are empty: one look for those.
    if ((await this.last(`retrace.event.${lane}.>`)) === 0) return 0;
    const kinds = FOLDED_EVENTS.map(({ entity, verb }) => this.last(`retrace.event.${lane}.*.*.${entity}.${verb}`));
    return Math.max(...(await Promise.all(kinds)));
  }

  async stands({ sequence, eventId }: Position): Promise<boolean> {
    return (await this.message(sequence))?.header.get('ce-id') === eventId;
  }

  /** Pages that were never completed are no event: nobody will fold them. */
  private async last(filter: string): Promise<number> {
    return (await newestWhole(this.jsm, LOG_STREAM, filter)) ?? 0;
  }

  private async message(seq: number): Promise<StoredMsg | null> {
    try {
      return await this.jsm.streams.getMessage(LOG_STREAM, { seq });
    } catch (error) {
      // Anything but "none" is no answer.
      if ((error as { code?: unknown }).code === NO_MESSAGE) return null;
      throw error;
    }
  }
}
