import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { decodeEvent, type EncodedEvent, LOG_STREAM } from '@retrace/contracts';
import { eventually } from '@retrace/testing';
import type { PlainClient } from './plain-client.js';

export interface StoredMessage extends EncodedEvent {
  readonly sequence: number;
}

/** The log as it stands in the stream, read with the plain client and the login of a service that may read it. */
export class StoredLog {
  constructor(private readonly reader: PlainClient) {}

  async lastSequence(): Promise<number> {
    const manager = await jetstreamManager(this.reader.connection, { checkAPI: false });
    return (await manager.streams.info(LOG_STREAM)).state.last_seq;
  }

  /** Resolves when a sequence stands there. */
  async until(sequence: number): Promise<void> {
    await eventually(async () => {
      const last = await this.lastSequence();
      if (last < sequence) throw new Error(`the log ends at ${last}, not yet at ${sequence}`);
    });
  }

  /** Everything behind a sequence, up to the present end. */
  async after(sequence: number): Promise<StoredMessage[]> {
    const found: StoredMessage[] = [];
    const end = await this.lastSequence();
    if (end <= sequence) return found;
    const consumer = await jetstream(this.reader.connection).consumers.get(LOG_STREAM, {
      opt_start_seq: sequence + 1,
      deliver_policy: DeliverPolicy.StartSequence,
    });
    for await (const message of await consumer.consume()) {
      const headers = Object.fromEntries([...(message.headers ?? [])].map(([name, [value]]) => [name, value ?? '']));
      found.push({ sequence: message.seq, subject: message.subject, headers, body: message.string() });
      if (message.seq >= end) break;
    }
    return found;
  }

  /** `entity.verb agent` of what was added behind a sequence; each is read as its schema says. */
  async added(sequence: number): Promise<string[]> {
    return (await this.after(sequence)).map((message) => {
      const { type, agent } = decodeEvent({ ...message, header: (name) => message.headers[name] }, message.sequence);
      return `${type.replace(/^retrace\.|\.v\d+$/g, '')} ${agent}`;
    });
  }
}
