import {
  type AnyEventDefinition,
  decodeEvent,
  encodeEvent,
  type EventEnvelope,
  type EventId,
  LOG_STREAM,
  type StoredEvent,
} from '@retrace/contracts';
import {
  DeliverPolicy,
  jetstream,
  type JetStreamClient,
  jetstreamManager,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { headers as newHeaders, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { type Appended, AppendUnknown, type EventLog, type ReadOptions } from '../../event-log.port.js';

const NO_MESSAGE = 10037;

/** The log in a JetStream stream. */
export class JetStreamEventLog implements EventLog {
  private constructor(
    private readonly js: JetStreamClient,
    private readonly jsm: JetStreamManager,
    private readonly stream: string,
  ) {}

  static async open(connection: NatsConnection, stream: string = LOG_STREAM): Promise<JetStreamEventLog> {
    const jsm = await jetstreamManager(connection, { checkAPI: false });
    return new JetStreamEventLog(jetstream(connection), jsm, stream);
  }

  async append<D extends AnyEventDefinition>(event: EventEnvelope<D>): Promise<Appended> {
    const { subject, headers, body } = encodeEvent(event);
    try {
      const ack = await this.js.publish(subject, body, { msgID: event.id, headers: toHeaders(headers) });
      return { sequence: ack.seq, duplicate: ack.duplicate };
    } catch (cause) {
      // A refusal by the stream is an answer; everything else leaves open what happened.
      if (isApiError(cause)) throw cause;
      throw new AppendUnknown(event.id, { cause });
    }
  }

  async find(event: EventEnvelope, fromSequence: number): Promise<number | undefined> {
    const { subject } = encodeEvent(event);
    for await (const message of this.messages(fromSequence, [subject]))
      if (message.headers?.get('ce-id') === event.id) return message.seq;
    return undefined;
  }

  async *read({ fromSequence = 1, filters = [] }: ReadOptions = {}): AsyncIterable<StoredEvent> {
    for await (const message of this.messages(fromSequence, filters)) yield decodeMessage(message);
  }

  async idAt(sequence: number): Promise<EventId | undefined> {
    try {
      const message = await this.jsm.streams.getMessage(this.stream, { seq: sequence });
      return (message?.header.get('ce-id') || undefined) as EventId | undefined;
    } catch (error) {
      if ((error as { code?: unknown }).code === NO_MESSAGE) return undefined;
      throw error;
    }
  }

  async lastSequence(): Promise<number> {
    return (await this.jsm.streams.info(this.stream)).state.last_seq;
  }

  /** Everything from a sequence to the present end. */
  private async *messages(fromSequence: number, filters: readonly string[]): AsyncIterable<JsMsg> {
    if (fromSequence > (await this.lastSequence())) return;
    const consumer = await this.js.consumers.get(this.stream, {
      ...(filters.length > 0 ? { filter_subjects: [...filters] } : {}),
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(1, fromSequence),
      inactive_threshold: 30_000,
    });
    try {
      let left = (await consumer.info()).num_pending;
      if (left === 0) return;
      const batch = await consumer.consume({ max_messages: 512 });
      for await (const message of batch) {
        yield message;
        if (--left <= 0 || message.info.pending === 0) return;
      }
    } finally {
      await consumer.delete().catch(() => undefined);
    }
  }
}

export const decodeMessage = (message: JsMsg): StoredEvent =>
  decodeEvent(
    { subject: message.subject, header: (name) => message.headers?.get(name) || undefined, body: message.string() },
    message.seq,
  );

const isApiError = (error: unknown): boolean => {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === 'JetStreamApiError' && typeof code === 'number' && code !== 503;
};

function toHeaders(values: Readonly<Record<string, string>>): MsgHdrs {
  const headers = newHeaders();
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  return headers;
}
