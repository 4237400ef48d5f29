import { LOG_STREAM } from '@retrace/contracts';
import { jetstreamManager } from '@nats-io/jetstream';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { ConnectionWatch } from '../lanes/connection-watch.js';
import { MessageRing, type RingLimits } from './message-ring.js';
import { TapMessage } from './tap-message.js';

/** What is held of the newest messages: enough for readers that are a moment behind. */
const LIMITS: RingLimits = { messages: 2_048, bytes: 8 << 20 };
const PAUSE_MS = 250;

/**
 * Hears what the server republishes of the log, once for all readers of this process, and holds the newest of it
 * without a gap. A reader that needs what is not held reads by a consumer of its own until it has caught up.
 */
export class LogTap {
  private readonly ring: MessageRing<TapMessage>;
  private readonly closed = new AbortController();
  private readonly watch: ConnectionWatch;
  private readonly waiting = new Set<() => void>();
  private subscription: Subscription | undefined;
  /** Grows when what is held no longer follows what was held before. */
  private era = 0;

  private constructor(
    private readonly connection: NatsConnection,
    limits: RingLimits,
  ) {
    this.ring = new MessageRing(limits);
    this.watch = new ConnectionWatch(connection, () => this.lost(), this.closed.signal);
  }

  /** Resolves once all that is appended from now on is heard. */
  static async open(connection: NatsConnection, limits = LIMITS): Promise<LogTap> {
    const tap = new LogTap(connection, limits);
    tap.subscription = connection.subscribe('retrace.out.>', {
      callback: (error, message) => void (error ?? tap.hear(message)),
    });
    await connection.flush();
    await tap.begin();
    return tap;
  }

  close(): void {
    this.closed.abort();
    this.subscription?.unsubscribe();
    this.lost();
  }

  /** What follows a sequence can be read here. */
  covers(sequence: number): boolean {
    const { oldest } = this.ring;
    return oldest !== undefined && sequence >= oldest;
  }

  /** Names a stretch without gaps; a reader whose era is over begins anew. */
  get currentEra(): number {
    return this.era;
  }

  /** The sequence that was not heard yet. */
  get end(): number {
    return this.ring.next ?? 0;
  }

  at(sequence: number): TapMessage {
    return this.ring.at(sequence);
  }

  /** Calls once when something was heard, or lost. Answers how to take it back. */
  onNews(tell: () => void): () => void {
    this.waiting.add(tell);
    return () => void this.waiting.delete(tell);
  }

  private hear(message: Msg): void {
    const heard = TapMessage.of(message, LOG_STREAM);
    if (!heard) return;
    if (!this.ring.add(heard)) this.era += 1;
    this.tell();
  }

  private lost(): void {
    this.era += 1;
    this.ring.clear();
    this.tell();
    if (!this.closed.signal.aborted) void this.begin();
  }

  /** Learns from where on everything is heard. What comes meanwhile tells it as well. */
  private async begin(): Promise<void> {
    const { era } = this;
    while (era === this.era && this.ring.next === undefined) {
      await this.watch.whenUp();
      if (this.closed.signal.aborted) return;
      const last = await this.lastSequence();
      if (last !== undefined && era === this.era && this.ring.next === undefined) this.ring.begin(last + 1);
      else if (last === undefined) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
    this.tell();
  }

  private async lastSequence(): Promise<number | undefined> {
    try {
      await this.connection.flush();
      const jsm = await jetstreamManager(this.connection, { checkAPI: false });
      return (await jsm.streams.info(LOG_STREAM)).state.last_seq;
    } catch {
      return undefined;
    }
  }

  private tell(): void {
    for (const tell of this.waiting) tell();
    this.waiting.clear();
  }
}
