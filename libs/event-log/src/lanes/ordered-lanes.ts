import { setTimeout as sleep } from 'node:timers/promises';
import { failpoint } from '@retrace/platform/failpoint';
import { jetstreamManager } from '@nats-io/jetstream';
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { ConnectionWatch } from './connection-watch.js';
import { ConsumerSource } from './consumer-source.js';
import { bytesOf, Lane, type Pages } from './lane.js';
import type { LaneMessage } from './lane-message.js';
import type { LaneDelivery, LaneOptions } from './lane-options.js';
import type { MessageSource, OpenedMessages } from './message-source.js';
import { PositionCheck } from './position-check.js';
import { settlementFor } from './terminal-error.js';

const DEFAULT_BACKOFF = { firstMs: 50, maxMs: 10_000 };

/**
 * Reads a JetStream stream in order, lane by lane, from positions that the handlers' own stores keep. No acks: after a
 * failover acknowledging consumers deliver out of order. A failing message is retried in place; other lanes go on. An
 * event in pages is handed over once, whole, at the place of its last page; half of one never is.
 */
export class OrderedLanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly closed = new AbortController();
  private check!: PositionCheck;
  private watch!: ConnectionWatch;
  private readonly source: MessageSource;
  private messages: OpenedMessages | undefined;
  private bytes = 0;
  private unblock: (() => void) | undefined;
  private epoch = new AbortController();
  private verifyNeeded = true;
  private loop: Promise<void> | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly options: LaneOptions,
  ) {
    for (const name of options.lanes) this.lanes.set(name, new Lane(name));
    this.source = options.source ?? new ConsumerSource(connection, options.stream);
  }

  /** Starts reading. A position that cannot be verified fails the start, loudly; a log that is put back is waited for later. */
  async start(): Promise<void> {
    const jsm = await jetstreamManager(this.connection, { checkAPI: false });
    this.check = new PositionCheck(jsm, this.options.stream, (headers) => this.idOf(headers));
    // The client's own ordered consumer would resume at its cursor after a reconnect, even past the end of a restored
    // stream, and skip every event up to there without a word. So a disconnect ends ours, and positions are verified.
    this.watch = new ConnectionWatch(this.connection, () => this.restart(), this.closed.signal);
    if (!(await this.missing())) await this.verifyAll();
    this.loop = this.run();
  }

  /** Takes a lane in while others run; it is read from its stored position. */
  addLane(name: string): void {
    if (this.lanes.has(name)) return;
    this.lanes.set(name, new Lane(name));
    this.restart();
  }

  /** No new messages, no new retries; resolves when every started handler has ended. */
  async close(): Promise<void> {
    this.closed.abort();
    this.restart();
    await Promise.all([this.loop, ...[...this.lanes.values()].map((lane) => lane.running ?? Promise.resolve())]);
  }

  private restart(): void {
    this.verifyNeeded = true;
    this.epoch.abort();
    this.messages?.stop();
    for (const lane of this.lanes.values()) lane.wake();
    this.unblock?.();
  }

  private async run(): Promise<void> {
    for (let failures = 0; !this.closed.signal.aborted;) {
      try {
        await this.watch.whenUp();
        if (this.closed.signal.aborted) return;
        if (this.verifyNeeded) await this.verifyAll();
        await this.pump(() => {
          failures = 0;
        });
      } catch (error) {
        this.restart();
        if (this.closed.signal.aborted) return;
        this.options.onTrouble?.('lane', error);
        const settlement = settlementFor(undefined, ++failures, this.backoff, Math.random());
        if (settlement.kind === 'retry_in_place') await this.pause(settlement.delayMs, this.closed.signal);
      }
    }
  }

  /** Handlers in flight may still commit a position of a lost tail: wait for them before positions are read. */
  private async verifyAll(): Promise<void> {
    this.epoch.abort();
    for (const lane of this.lanes.values()) this.empty(lane);
    await Promise.all([...this.lanes.values()].map((lane) => lane.running ?? Promise.resolve()));
    this.epoch = new AbortController();
    // Before the lanes are listed and positions read: a disconnect or a new lane meanwhile asks for another round.
    this.verifyNeeded = false;
    if (this.options.verify === false) return;
    const missing = await this.missing();
    if (missing) await this.options.recovered?.(missing, this.closed.signal);
    const lanes = [...this.lanes.values()];
    const last = await this.check.lastSequence();
    await Promise.all(lanes.map((lane) => this.verify(lane, last)));
  }

  /** The sequence that was read and that the log does not reach, where somebody may put it back; 0: there is none. */
  private async missing(): Promise<number> {
    const { recovered, positions, verify } = this.options;
    if (!recovered || verify === false) return 0;
    const read = await Promise.all([...this.lanes.keys()].map(async (lane) => positions.load(lane)));
    const furthest = Math.max(0, ...read.map((position) => position?.sequence ?? 0));
    return furthest > (await this.check.lastSequence()) ? furthest : 0;
  }

  private empty(lane: Lane): void {
    for (const pages of lane.queue) this.bytes -= bytesOf(pages);
    lane.queue = [];
    lane.overflow = false;
    lane.failing = false;
    if (this.options.verify === false) lane.enqueued = 0;
  }

  private async verify(lane: Lane, last: number): Promise<void> {
    const { positions, onRewind, filterOf } = this.options;
    let position = await positions.load(lane.name);
    while (position && !(await this.check.stands(position, last))) {
      const at = position.sequence;
      const trail = ((await positions.trail?.(lane.name)) ?? []).filter((earlier) => earlier.sequence < at);
      await onRewind(lane.name, await this.check.lastMatching(trail, last));
      position = await positions.load(lane.name);
      if (position && position.sequence >= at) throw new Error(`onRewind left lane ${lane.name} at ${at}`);
    }
    lane.enqueued = position?.sequence ?? 0;
    // An idle lane's old position must not make each start read the whole log.
    const newest = await this.check.newestUnder(filterOf(lane.name));
    lane.from = newest === undefined || newest <= lane.enqueued ? Math.max(last, lane.enqueued) + 1 : lane.enqueued + 1;
  }

  private async pump(opened: () => void): Promise<void> {
    const lanes = [...this.lanes.values()];
    for (const lane of lanes) {
      lane.overflow = false;
      lane.dropUnfinished();
    }
    if (lanes.length === 0) return this.idle();
    const start = Math.min(...lanes.map((lane) => Math.max(lane.from, lane.enqueued + 1)));
    const { filters, verify } = this.options;
    const onReset = (): void => this.restart();
    const messages = await this.source.open({ start, filters, verify: verify !== false, onReset });
    this.messages = messages;
    try {
      // A restart or close while it was opened had nothing to stop.
      if (this.mustStop) return;
      opened();
      await this.take(messages, start);
    } finally {
      messages.close();
    }
  }

  private async take(messages: OpenedMessages, start: number): Promise<void> {
    const seen = { sequence: this.options.verify === false ? 0 : start - 1 };
    for (let arrived = await messages.next(); arrived; arrived = await messages.next())
      for (const message of arrived) if (!(await this.took(message, messages, seen))) return;
  }

  /** False: reading ends here, and begins anew. */
  private took(message: LaneMessage, messages: OpenedMessages, seen: { sequence: number }): Promise<boolean> | boolean {
    if (this.mustStop) return false;
    // The stream went back under a live connection.
    if (message.seq <= seen.sequence) {
      this.restart();
      return false;
    }
    seen.sequence = message.seq;
    const name = this.options.laneOf(message.subject);
    const lane = name === undefined ? undefined : this.lanes.get(name);
    if (!lane || message.seq <= lane.enqueued || lane.overflow) return true;
    if (this.full(lane, message)) return this.tookFull(lane, message, messages);
    this.enqueue(lane, message);
    return true;
  }

  /**
   * Slow lanes hold the reader up a little (back-pressure); stuck ones lose their place and are read again once they
   * move, so that one poisoned lane neither stops the others nor fills the memory.
   */
  private async tookFull(lane: Lane, message: LaneMessage, messages: OpenedMessages): Promise<boolean> {
    await lane.room(this.options.stallMs ?? 1000);
    if (this.verifyNeeded) return false;
    if (this.full(lane, message)) return !(await this.overflowed(lane, messages));
    this.enqueue(lane, message);
    return true;
  }

  /** An event in pages is queued whole, with its last page. */
  private enqueue(lane: Lane, message: LaneMessage): void {
    const pages = lane.collect(message);
    if (!pages) return;
    lane.queue.push(pages);
    lane.enqueued = message.seq;
    this.bytes += bytesOf(pages);
    lane.running ??= this.drain(lane);
  }

  /** True when every lane is stuck: reading then rests until one moves. */
  private async overflowed(lane: Lane, messages: OpenedMessages): Promise<boolean> {
    lane.overflow = true;
    if (![...this.lanes.values()].every((other) => other.overflow)) return false;
    messages.stop();
    await this.idle();
    return true;
  }

  private idle(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.unblock = resolve;
      if (this.mustStop) resolve();
    });
  }

  private full(lane: Lane, message: LaneMessage): boolean {
    const { laneBuffer = 256, bufferBytes = 64 << 20 } = this.options;
    const bytes = this.bytes + lane.unfinishedBytes + message.data.length;
    return lane.queue.length > 0 && (lane.queue.length >= laneBuffer || bytes > bufferBytes);
  }

  private async drain(lane: Lane): Promise<void> {
    const { signal } = this.epoch;
    // Never ends before `running` is assigned.
    await Promise.resolve();
    try {
      for (let pages = lane.queue[0]; !signal.aborted && pages; pages = lane.queue[0]) {
        if (!(await this.handle(lane, pages, signal))) break;
        if (lane.queue[0] === pages) {
          lane.queue.shift();
          this.bytes -= bytesOf(pages);
        }
        lane.failing = false;
        lane.wake();
      }
    } finally {
      lane.running = undefined;
      lane.wake();
      // run() opens again at the lowest place.
      if (lane.overflow) {
        this.messages?.stop();
        this.unblock?.();
      }
    }
  }

  /** False: given up because the lane restarts or closes; the message is read again. */
  private async handle(lane: Lane, pages: Pages, signal: AbortSignal): Promise<boolean> {
    const message = pages.at(-1)!;
    const position = { sequence: message.seq, eventId: this.idOf(message.headers) };
    let rejected: { reason: string; error: unknown } | undefined;
    for (let attempt = 1; !signal.aborted; attempt++) {
      const delivery: LaneDelivery = { message, pages, lane: lane.name, position, attempt, signal };
      try {
        failpoint('lane.before-handle');
        if (rejected) await this.options.onRejected(delivery, rejected.reason, rejected.error);
        else await this.options.handle(delivery);
        failpoint('lane.after-handle');
        return true;
      } catch (error) {
        const settlement = settlementFor(error, attempt, this.backoff, Math.random());
        if (!rejected && settlement.kind === 'rejected') {
          rejected = { reason: settlement.reason, error };
          this.options.onTrouble?.('rejected', error, delivery);
          attempt = 0;
          continue;
        }
        lane.failing = true;
        lane.wake();
        this.options.onTrouble?.('retry', error, delivery);
        await this.pause(settlement.kind === 'retry_in_place' ? settlement.delayMs : this.backoff.firstMs, signal);
      }
    }
    return false;
  }

  /** Empty where a message has none. */
  private idOf(headers: MsgHdrs | undefined): string {
    return (this.options.eventId ? this.options.eventId({ headers }) : headers?.get('ce-id')) ?? '';
  }

  private get mustStop(): boolean {
    return this.verifyNeeded || this.closed.signal.aborted;
  }

  private get backoff() {
    return this.options.backoff ?? DEFAULT_BACKOFF;
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
}
