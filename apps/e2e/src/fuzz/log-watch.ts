import { DeliverPolicy, jetstream, jetstreamManager, type JsMsg } from '@nats-io/jetstream';
import { decodeEvent, INTENT_STREAM, LOG_STREAM } from '@retrace/contracts';
import type { NatsConnection } from '@nats-io/transport-node';

/** Follows the log as it grows: which intents it answers, and whether each event is what its schema says. */
export class LogWatch {
  /** Places of `RETRACE_IN` that an event answers, or rejects. */
  readonly answered = new Set<number>();
  /** `workspace principal intent` of every answer. */
  readonly decided = new Set<string>();
  readonly violations: string[] = [];
  sequence = 0;
  private readonly pages = new Map<string, string>();

  private constructor(private readonly connection: NatsConnection) {}

  static async start(connection: NatsConnection): Promise<LogWatch> {
    const watch = new LogWatch(connection);
    const consumer = await jetstream(connection).consumers.get(LOG_STREAM, { deliver_policy: DeliverPolicy.All });
    const messages = await consumer.consume({ max_messages: 1_000 });
    void (async () => {
      for await (const message of messages) watch.take(message);
    })();
    return watch;
  }

  async lastSequence(): Promise<number> {
    const manager = await jetstreamManager(this.connection, { checkAPI: false });
    return (await manager.streams.info(LOG_STREAM)).state.last_seq;
  }

  private take(message: JsMsg): void {
    this.sequence = message.seq;
    const header = (name: string): string | undefined => message.headers?.get(name) || undefined;
    const body = this.whole(header('ce-id') ?? '', header('ce-page'), message.string());
    if (body === undefined) return;
    try {
      const { data, agent, workspace, type } = decodeEvent({ subject: message.subject, header, body }, message.seq);
      const known = data as { intent_id?: string; in_sequence?: number; stream?: string; sequence?: number };
      if (known.in_sequence !== undefined) this.answered.add(known.in_sequence);
      if (known.intent_id !== undefined) this.decided.add(`${workspace} ${agent} ${known.intent_id}`);
      if (type === 'retrace.message.rejected.v1' && known.stream === INTENT_STREAM) this.answered.add(known.sequence!);
      if (type === 'retrace.message.rejected.v1' && known.stream === LOG_STREAM)
        this.violations.push(`${message.seq} ${message.subject}: a service could not read the log: ${body}`);
    } catch (error) {
      this.violations.push(`${message.seq} ${message.subject}: ${String(error)}`);
    }
  }

  /** Pages stand next to each other, the last one ends the event. */
  private whole(id: string, page: string | undefined, text: string): string | undefined {
    if (page === undefined) return text;
    const before = (this.pages.get(id) ?? '') + text;
    const [number, count] = page.split('/');
    if (number !== count) this.pages.set(id, before);
    else this.pages.delete(id);
    return number === count ? before : undefined;
  }
}
