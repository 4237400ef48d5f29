import { setTimeout as sleep } from 'node:timers/promises';
import { type EncodedEvent, type EventId, LOG_STREAM } from '@retrace/contracts';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { ConnectionWatch } from '../lanes/connection-watch.js';
import { PositionCheck } from '../lanes/position-check.js';
import { lastStanding, type Lost } from './last-standing.js';
import type { Bus } from './publish-again.js';
import {
  isPlaced,
  type Placed,
  type RememberedEvent,
  rememberedEvent,
  type TailNumber,
  type Unplaced,
} from './remembered-event.js';
import { type RepairSettings, TailRepair } from './tail-repair.js';
import type { TailStore } from './tail-store.js';

export const DEFAULT_REPAIR: RepairSettings = { patienceMs: 15_000, stillMs: 400 };
const RETRY_MS = 200;
const DONE = Promise.resolve();
/** Events put back whose new places are kept for whoever looks for them; the oldest go first. */
const KEPT_PLACES = 50_000;

export interface TailOptions {
  readonly stream?: string;
  readonly repair?: RepairSettings;
  readonly onTrouble?: (message: string) => void;
}

/** One publish under way. */
export interface Publishing {
  /** Resolves once what was published counts as remembered. Never rejects. */
  readonly committed: Promise<unknown>;
  stored(sequence: number): void;
  /** The log did not take it, for certain. */
  refused(): void;
}

const nothing = (): void => undefined;
const NOT_REMEMBERED: Publishing = { committed: DONE, stored: nothing, refused: nothing };

type OnMoved = (fromSequence: number) => Promise<void>;

/**
 * Remembers what a service published, for a while, and puts it back where the broker lost it after its ack. While that
 * is open (at the start, after a lost connection) nothing new is published.
 */
export class RememberedTail {
  private readonly closed = new AbortController();
  private readonly watch: ConnectionWatch;
  private readonly placesNow = new Map<EventId, number>();
  private readonly listeners: OnMoved[] = [];
  /** Published, and not answered for yet. */
  private readonly inFlight = new Map<EventId, TailNumber>();
  private newest: Placed | undefined;
  private atStart = true;
  private attempt = new AbortController();
  private wholeNow: Promise<void> | undefined;
  private whole: () => void = () => undefined;
  private wake: () => void = () => undefined;
  private loop: Promise<void> | undefined;

  private constructor(
    private readonly bus: Bus,
    private readonly store: TailStore,
    private readonly check: PositionCheck,
    private readonly options: TailOptions,
  ) {
    this.suspect();
    this.watch = new ConnectionWatch(bus.connection, () => this.suspect(), this.closed.signal);
    void bus.connection.closed().then(() => this.end());
  }

  /** Takes the store over. Begins to look after the log with {@link begin}. */
  static async open(connection: NatsConnection, store: TailStore, options: TailOptions = {}): Promise<RememberedTail> {
    const jsm = await jetstreamManager(connection, { checkAPI: false });
    const stream = options.stream ?? LOG_STREAM;
    const check = new PositionCheck(jsm, stream, (headers) => headers?.get('ce-id') ?? '');
    return new RememberedTail({ connection, js: jetstream(connection), jsm, stream }, store, check, options);
  }

  begin(): void {
    this.loop ??= this.run();
  }

  /** Resolves when nothing of what is remembered is missing in the log; `undefined`: it is so. Rejects at the end. */
  whenWhole(): Promise<void> | undefined {
    return this.wholeNow;
  }

  /** Takes in an event that is about to be published. */
  publishing(messages: readonly EncodedEvent[], bodies: readonly Uint8Array[]): Publishing {
    // The store may be gone already: then the log's answer is all there is.
    if (this.closed.signal.aborted) return NOT_REMEMBERED;
    const event = rememberedEvent(messages, bodies, this.newest?.sequence ?? 0);
    const { id } = event;
    const known = this.inFlight.get(id);
    const { number, committed } =
      known === undefined ? this.store.add(event) : { number: known, committed: DONE as Promise<unknown> };
    this.inFlight.set(id, number);
    const heard = committed.catch((error: unknown) => this.trouble(`${id} is not remembered: ${String(error)}`));
    return {
      committed: this.store.isSynced ? heard : DONE,
      stored: (sequence) => this.placed(id, { number, sequence }),
      refused: () => {
        this.inFlight.delete(id);
        void this.store.forget(number).catch(() => undefined);
      },
    };
  }

  /** The log has an event of which an earlier try left that open. */
  found(id: EventId, sequence: number): void {
    const number = this.inFlight.get(id);
    if (number !== undefined) this.placed(id, { number, sequence });
  }

  /** Where an event stands that was put back. */
  placeOf(id: EventId): number | undefined {
    return this.placesNow.get(id);
  }

  /** `listener` is called after events came to stand elsewhere than before, from a sequence on. */
  whenMoved(listener: OnMoved): void {
    this.listeners.push(listener);
  }

  /**
   * Resolves when the log reaches a sequence that it reached before, or nobody fills it up any more. Also of use to
   * those who remember nothing: what they read is about to stand there again.
   */
  async reached(sequence: number, signal: AbortSignal): Promise<void> {
    const { patienceMs } = this.settings;
    let last = -1;
    for (let since = performance.now(); !signal.aborted && performance.now() - since <= patienceMs;) {
      const now = await this.check.lastSequence();
      if (now >= sequence) return;
      if (now !== last) since = performance.now();
      last = now;
      await sleep(25, undefined, { signal }).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.end();
    await this.loop;
    await this.store.close();
  }

  private get settings(): RepairSettings {
    return this.options.repair ?? DEFAULT_REPAIR;
  }

  private placed(id: EventId, place: Placed): void {
    if (this.closed.signal.aborted) return;
    const { number, sequence } = place;
    this.inFlight.delete(id);
    if (!this.newest || sequence > this.newest.sequence) this.newest = place;
    this.store.place(number, sequence).catch((error: unknown) => this.trouble(`a place is not kept: ${String(error)}`));
  }

  /** Nothing is certain any more: nothing is published before the log was looked at. */
  private suspect(): void {
    this.attempt.abort();
    this.attempt = new AbortController();
    if (!this.wholeNow && !this.closed.signal.aborted) {
      this.wholeNow = new Promise((resolve, reject) => {
        this.whole = resolve;
        this.closed.signal.addEventListener('abort', () => reject(new Error('the log is not looked after any more')));
      });
      this.wholeNow.catch(() => undefined);
    }
    this.wake();
  }

  private end(): void {
    this.closed.abort();
    this.attempt.abort();
    this.wake();
  }

  private async run(): Promise<void> {
    while (!this.closed.signal.aborted) {
      if (this.wholeNow) await this.tryRepair();
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private async tryRepair(): Promise<void> {
    await this.watch.whenUp();
    const { signal } = this.attempt;
    try {
      const movedFrom = await this.repair(AbortSignal.any([signal, this.closed.signal]));
      if (signal.aborted) return;
      this.wholeNow = undefined;
      this.atStart = false;
      this.whole();
      if (movedFrom !== undefined) await Promise.all(this.listeners.map((listener) => listener(movedFrom)));
    } catch (error) {
      if (this.closed.signal.aborted) return;
      if (!signal.aborted) this.trouble(`the end of the log is not looked after yet: ${String(error)}`);
      await sleep(RETRY_MS, undefined, { signal: this.closed.signal }).catch(() => undefined);
    }
  }

  /** Answers from where on events stand elsewhere than before, if any do. */
  private async repair(signal: AbortSignal): Promise<number | undefined> {
    await this.store.settled();
    const last = await this.check.lastSequence();
    this.newest ??= newestOf(this.store);
    const stands = !this.newest || (await this.stands(this.newest, last));
    if (stands && !this.atStart) return undefined;
    const lost = await lastStanding(this.store.newest(), (place) => this.stands(place, last));
    const count = lost.placed.length + lost.unplaced.length;
    if (count === 0) return undefined;
    if (!stands) this.trouble(`the log ends at ${last} and lost events of ours: putting ${count} back`);
    if (!stands && !lost.reachesBack) this.trouble('more of the log may be lost than is remembered');
    return this.putBack(lost, signal);
  }

  private async putBack({ from, placed, unplaced }: Lost, signal: AbortSignal): Promise<number | undefined> {
    let moved = false;
    this.newest = undefined;
    const memory = {
      get: (number: TailNumber) => this.store.get(number),
      unplace: (some: readonly Placed[]) => this.store.unplace(some.map(({ number }) => number)),
      placed: (missing: Unplaced, { id }: RememberedEvent, sequence: number) => {
        if (isPlaced(missing) && missing.sequence !== sequence) moved = true;
        this.keepPlace(id, sequence);
        this.placed(id, { number: missing.number, sequence });
      },
    };
    const after = unplaced.map(({ number }) => this.store.get(number)?.after ?? from);
    await new TailRepair(this.bus, Math.min(from, ...after), memory, this.settings, signal).run(placed, unplaced);
    return moved ? from : undefined;
  }

  private keepPlace(id: EventId, sequence: number): void {
    this.placesNow.set(id, sequence);
    const [oldest] = this.placesNow.keys();
    if (this.placesNow.size > KEPT_PLACES) this.placesNow.delete(oldest!);
  }

  private stands({ number, sequence }: Placed, last: number): Promise<boolean> {
    const eventId = this.store.get(number)?.id ?? '';
    return this.check.stands({ sequence, eventId }, last);
  }

  private trouble(message: string): void {
    this.options.onTrouble?.(message);
  }
}

/** Concurrent publishes are answered out of order, but not by much. */
const LOOK_BACK = 4_096;

function newestOf(store: TailStore): Placed | undefined {
  let newest: Placed | undefined;
  let seen = 0;
  for (const one of store.newest()) {
    if (isPlaced(one) && one.sequence > (newest?.sequence ?? 0)) newest = one;
    if (++seen >= LOOK_BACK) break;
  }
  return newest;
}
