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
  type ConsumerMessages,
  DeliverPolicy,
  jetstream,
  type JetStreamClient,
  jetstreamManager,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { headers as newHeaders, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { type Appended, AppendUnknown, type EventLog, ReadCut, type ReadOptions } from '../../event-log.port.js';

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
      // A refusal is an answer; everything else leaves open what happened.
      if (isRefusal(cause)) throw cause;
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
    // The server takes 0 for a malformed question.
    if (sequence < 1) return undefined;
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
      // Twice half of `expires` without a heartbeat is the time after which a read is known to be cut.
      const batch = await consumer.consume({ max_messages: 512, expires: 10_000 });
      void stopWhenCut(batch);
      let last = fromSequence - 1;
      for await (const message of batch) {
        yield message;
        last = message.seq;
        if (--left <= 0 || message.info.pending === 0) return;
      }
      throw new ReadCut(last);
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

/**
 * The client makes a lost consumer again at its own cursor and waits there for ever when the stream came back shorter.
 * Whoever reads begins anew instead.
 */
async function stopWhenCut(messages: ConsumerMessages): Promise<void> {
  const cuts = new Set<string>(['reset', 'consumer_not_found', 'consumer_deleted', 'stream_not_found']);
  for await (const { type } of messages.status()) if (cuts.has(type)) return messages.stop();
}

/** What the client does not even send (too large, or no connection any more), or the server does not take from us. */
const NEVER_SENT = new Set<unknown>([
  'InvalidArgumentError',
  'ClosedConnectionError',
  'DrainingConnectionError',
  'PermissionViolationError',
]);

function isRefusal(error: unknown): boolean {
  const { name, status, cause } = (error ?? {}) as { name?: unknown; status?: unknown; cause?: unknown };
  if (name === 'JetStreamApiError') return status !== 503;
  return NEVER_SENT.has(name) || (cause !== undefined && isRefusal(cause));
}

function toHeaders(values: Readonly<Record<string, string>>): MsgHdrs {
  const headers = newHeaders();
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  return headers;
}
