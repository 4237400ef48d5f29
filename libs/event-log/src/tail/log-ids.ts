import { DeliverPolicy } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';
import { leaderGet } from '../newest-whole.js';
import { pageMark } from '../pages/decode-pages.js';
import { PageCollector } from '../pages/page-collector.js';
import type { Bus } from './publish-again.js';

/** So few are asked for one by one: a reader of its own takes longer. */
const FEW = 32;

interface Head {
  readonly seq: number;
  readonly subject: string;
  readonly headers: MsgHdrs | undefined;
}

/** Which whole events stand in the log from a sequence on, by id; read on as the log grows. */
export class LogIds {
  private readonly places = new Map<string, number>();
  private readonly collector = new PageCollector<Head>();
  private read: number;

  constructor(
    private readonly bus: Bus,
    fromSequence: number,
  ) {
    this.read = Math.max(1, fromSequence) - 1;
  }

  placeOf(id: string): number | undefined {
    return this.places.get(id);
  }

  /** Reads on to a sequence that the log has. */
  async readTo(last: number, signal: AbortSignal): Promise<void> {
    if (last - this.read > FEW) await this.readMany(last, signal);
    else await this.readFew(last);
    signal.throwIfAborted();
  }

  private async readFew(last: number): Promise<void> {
    const { jsm, stream } = this.bus;
    for (let seq = this.read + 1; seq <= last; seq++) {
      const message = await leaderGet(jsm, stream, { seq });
      if (message) this.take({ seq, subject: message.subject, headers: message.header });
    }
  }

  private async readMany(last: number, signal: AbortSignal): Promise<void> {
    const { js, stream } = this.bus;
    const consumer = await js.consumers.get(stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.read + 1,
      headers_only: true,
      inactive_threshold: 30_000,
    });
    try {
      const messages = await consumer.consume({ max_messages: 512, expires: 10_000 });
      const stop = (): void => messages.stop();
      signal.addEventListener('abort', stop, { once: true });
      for await (const message of messages) {
        this.take(message);
        if (message.seq >= last) break;
      }
      signal.removeEventListener('abort', stop);
    } finally {
      void consumer.delete().catch(() => undefined);
    }
  }

  private take(message: Head): void {
    this.read = message.seq;
    const pages = this.collector.add(message, pageMark(message));
    const id = pages?.at(-1)?.headers?.get('ce-id');
    // The first counts.
    if (id && !this.places.has(id)) this.places.set(id, message.seq);
  }
}
