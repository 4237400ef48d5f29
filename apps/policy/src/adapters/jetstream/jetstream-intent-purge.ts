import { INTENT_STREAM } from '@retrace/contracts';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { IntentPurge } from '../../ports/intent-purge.port.js';

export class JetStreamIntentPurge extends IntentPurge {
  constructor(private readonly connection: NatsConnection) {
    super();
  }

  async upTo(sequence: number): Promise<void> {
    const { streams } = await jetstreamManager(this.connection, { checkAPI: false });
    // The server keeps `seq` itself and removes what stands before it.
    await streams.purge(INTENT_STREAM, { seq: sequence + 1 });
  }
}
