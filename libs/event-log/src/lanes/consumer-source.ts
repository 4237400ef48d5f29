import { type Consumer, type ConsumerMessages, DeliverPolicy, jetstream, type JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { LaneMessage } from './lane-message.js';
import type { MessageSource, OpenedMessages, SourceOptions } from './message-source.js';

/** An ordered consumer of the reader's own, from any place of the stream. */
export class ConsumerSource implements MessageSource {
  constructor(
    private readonly connection: NatsConnection,
    private readonly stream: string,
  ) {}

  async open({ start, filters, verify, onReset }: SourceOptions): Promise<OpenedMessages> {
    const consumer = await jetstream(this.connection).consumers.get(this.stream, {
      filter_subjects: [...filters],
      ...(verify
        ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: start }
        : { deliver_policy: DeliverPolicy.All }),
      inactive_threshold: 30_000,
    });
    const messages = await consumer.consume({ max_messages: 512 });
    void watch(messages, onReset);
    return new ConsumedMessages(consumer, messages);
  }
}

class ConsumedMessages implements OpenedMessages {
  private readonly iterator: AsyncIterator<JsMsg>;

  constructor(
    private readonly consumer: Consumer,
    private readonly messages: ConsumerMessages,
  ) {
    this.iterator = messages[Symbol.asyncIterator]();
  }

  async next(): Promise<readonly LaneMessage[] | undefined> {
    const { value, done } = await this.iterator.next();
    return done ? undefined : [value];
  }

  stop(): void {
    this.messages.stop();
  }

  close(): void {
    this.messages.stop();
    void this.consumer.delete().catch(() => undefined);
  }
}

/** The client recreates a lost consumer at its own cursor, blindly (a leader with less data): verify then, too. */
async function watch(messages: ConsumerMessages, onReset: () => void): Promise<void> {
  for await (const { type } of messages.status()) if (type === 'reset' || type === 'consumer_not_found') onReset();
}
