import {
  type AnyEventDefinition,
  type EncodedEvent,
  encodeEvent,
  type EventEnvelope,
  type EventId,
  LOG_STREAM,
  type StoredEvent,
  subjectOf,
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
import type { NatsConnection } from '@nats-io/transport-node';
import { type Appended, AppendUnknown, type EventLog, ReadCut, type ReadOptions } from '../../event-log.port.js';
import { leaderGet } from '../../newest-whole.js';
import { decodeMessages, pageMark } from '../../pages/decode-pages.js';
import { pagesOf } from '../../pages/encode-pages.js';
import { PageCollector } from '../../pages/page-collector.js';
import { recentEvents } from '../../recent/recent-events.js';
import type { RememberedTail } from '../../tail/remembered-tail.js';
import { AckedPublisher } from './acked-publisher.js';
import { appendBatch, toHeaders } from './append-batch.js';

/** The log in a JetStream stream. */
export class JetStreamEventLog implements EventLog {
  private readonly publisher: AckedPublisher;

  private constructor(
    private readonly connection: NatsConnection,
    private readonly js: JetStreamClient,
    private readonly jsm: JetStreamManager,
    private readonly stream: string,
    private readonly tail: RememberedTail | undefined,
  ) {
    this.publisher = new AckedPublisher(connection);
  }

  /** `tail`: remembers what is appended, so that it is put back where the broker loses it. */
  static async open(
    connection: NatsConnection,
    stream: string = LOG_STREAM,
    tail?: RememberedTail,
  ): Promise<JetStreamEventLog> {
    const jsm = await jetstreamManager(connection, { checkAPI: false });
    return new JetStreamEventLog(connection, jetstream(connection), jsm, stream, tail);
  }

  async append<D extends AnyEventDefinition>(event: EventEnvelope<D>): Promise<Appended> {
    const whole = encodeEvent(event);
    const messages = pagesOf(whole, { messageBytes: this.connection.info?.max_payload });
    const bodies = messages.map(({ body }) => Buffer.from(body, 'utf8'));
    // What was in flight when the connection went is in doubt, and comes first.
    if (!this.publisher.isConnected) throw new AppendUnknown(event.id);
    await this.untilWhole(event.id);
    recentEvents.remember(whole.event, messages, bodies);
    const publishing = this.tail?.publishing(messages, bodies);
    try {
      const appended = await this.publish(event, messages, bodies);
      publishing?.stored(appended.sequence);
      // Begun with the publish, so mostly over by now: what counts as appended is remembered.
      await publishing?.committed;
      return appended;
    } catch (cause) {
      // A refusal is an answer; everything else leaves open what happened.
      if (!isRefusal(cause)) throw new AppendUnknown(event.id, { cause });
      publishing?.refused();
      throw cause;
    }
  }

  /** What was lost comes back before anything new is written. */
  private async untilWhole(id: EventId): Promise<void> {
    try {
      for (let whole = this.tail?.whenWhole(); whole; whole = this.tail?.whenWhole()) await whole;
    } catch (cause) {
      throw new AppendUnknown(id, { cause });
    }
  }

  private publish(
    event: EventEnvelope,
    messages: readonly EncodedEvent[],
    bodies: readonly Buffer[],
  ): Promise<Appended> {
    if (messages.length > 1) return this.appendAll(event, messages);
    return this.appendOne(event, messages[0]!, bodies[0]!);
  }

  private async appendOne(event: EventEnvelope, { subject, headers }: EncodedEvent, body: Buffer): Promise<Appended> {
    const ack = await this.publisher.publish(subject, body, toHeaders({ ...headers, 'Nats-Msg-Id': event.id }));
    if (!ack.duplicate || (await this.isAt(ack.seq, subject, event.id)))
      return { sequence: ack.seq, duplicate: ack.duplicate };
    const found = await this.find(event, 1);
    if (found !== undefined) return { sequence: found, duplicate: true };
    // Somebody published something else under this id, which anybody can derive: the broker is not asked to remember it.
    const again = await this.publisher.publish(subject, body, toHeaders(headers));
    return { sequence: again.seq, duplicate: false };
  }

  private async isAt(sequence: number, subject: string, id: EventId): Promise<boolean> {
    const message = await leaderGet(this.jsm, this.stream, { seq: sequence });
    return message?.subject === subject && message.header.get('ce-id') === id;
  }

  private async appendAll(event: EventEnvelope, messages: readonly EncodedEvent[]): Promise<Appended> {
    const sequence = await appendBatch(this.connection, messages, true);
    if (sequence !== undefined) return { sequence, duplicate: false };
    const found = await this.find(event, 1);
    if (found !== undefined) return { sequence: found, duplicate: true };
    // The broker remembers pages of which it lost the rest: they are no event, so it is written again, whole.
    return { sequence: (await appendBatch(this.connection, messages, false))!, duplicate: false };
  }

  async find(event: EventEnvelope, fromSequence: number): Promise<number | undefined> {
    // Put back, it may stand before the place from which it is looked for.
    const known = this.tail?.placeOf(event.id);
    if (known !== undefined) return known;
    const subject = subjectOf(event);
    for await (const pages of this.whole(fromSequence, [subject])) {
      if (pages[0]?.headers?.get('ce-id') !== event.id) continue;
      const { seq } = pages.at(-1)!;
      this.tail?.found(event.id, seq);
      return seq;
    }
    return undefined;
  }

  async *read({ fromSequence = 1, filters = [] }: ReadOptions = {}): AsyncIterable<StoredEvent> {
    for await (const pages of this.whole(fromSequence, filters)) yield decodeMessages(pages);
  }

  async idAt(sequence: number): Promise<EventId | undefined> {
    // The server takes 0 for a malformed question.
    if (sequence < 1) return undefined;
    const message = await leaderGet(this.jsm, this.stream, { seq: sequence });
    return (message?.header.get('ce-id') || undefined) as EventId | undefined;
  }

  async lastSequence(): Promise<number> {
    return (await this.jsm.streams.info(this.stream)).state.last_seq;
  }

  /** The messages of each event of which all stand between a sequence and the present end. */
  private async *whole(fromSequence: number, filters: readonly string[]): AsyncIterable<readonly JsMsg[]> {
    const collector = new PageCollector<JsMsg>();
    for await (const message of this.messages(fromSequence, filters)) {
      const pages = collector.add(message, pageMark(message));
      if (pages) yield pages;
    }
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
  if (name === 'RetraceError') return true;
  return NEVER_SENT.has(name) || (cause !== undefined && isRefusal(cause));
}
