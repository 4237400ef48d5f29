import { TouchedSet, type Touches } from '../domain/touches.js';

export type Ended = { readonly kind: 'done' } | { readonly kind: 'stopped' };

/**
 * What became of one step: decided, stopped with the service, on its way to the log, or waiting; for `blockMs` nothing
 * passes it.
 */
export type Step =
  | Ended
  | { readonly kind: 'publishing'; readonly until: Promise<Ended> }
  | { readonly kind: 'wait'; readonly until: Promise<void>; readonly blockMs: number };

interface Entry<Item> {
  readonly item: Item;
  waiting: boolean;
  blocking: boolean;
}

/** Intents behind so many that wait are not looked at: looking on would cost more with each. */
const WINDOW = 256;

/**
 * The intents of one principal in one workspace. They are decided one after another in their order; while one waits, or
 * its decision is on its way to the log, a later one passes it if the two touch nothing in common.
 */
export class IntentQueue<Item extends { readonly touches: Touches; readonly inSequence: number }> {
  private readonly entries: Entry<Item>[] = [];
  private order = new DecisionOrder();
  private running: Promise<void> | undefined;
  private readonly publishing = new Set<Promise<void>>();
  private stopped = false;

  /** `advance` must not throw. `idle` is called when nothing is left, `resting` when all that is left must wait. */
  constructor(
    private readonly advance: (item: Item) => Promise<Step>,
    private readonly done: (item: Item) => void,
    private readonly idle: () => void,
    private readonly resting: () => void = () => undefined,
  ) {}

  /** Takes an intent in at its place: one that comes back stands before all that were sent after it. */
  push(item: Item): void {
    const before = this.entries.findLastIndex((entry) => entry.item.inSequence <= item.inSequence);
    this.entries.splice(before + 1, 0, { item, waiting: false, blocking: false });
    this.wake();
  }

  /** Gives up what stands behind the first `keep`, where all of them wait and will not go on in a moment. */
  shed(keep: number): Item[] {
    if (this.running || this.stopped || this.entries.some(({ blocking }) => blocking)) return [];
    const shed = this.entries.slice(keep).filter(({ waiting }) => !waiting);
    for (const entry of shed) this.entries.splice(this.entries.lastIndexOf(entry), 1);
    return shed.map(({ item }) => item);
  }

  /** Resolves when no step is under way. */
  async settled(): Promise<void> {
    while (this.running || this.publishing.size > 0) await Promise.all([this.running, ...this.publishing]);
  }

  /** Looks again which intent may be decided. */
  wake(): void {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      if (this.entries.length === 0) this.idle();
      else if (this.next() && !this.stopped) this.wake();
      else this.resting();
    });
  }

  private async run(): Promise<void> {
    // Never ends before `running` is assigned.
    await Promise.resolve();
    for (let entry = this.next(); entry && !this.stopped; entry = this.next())
      this.take(entry, await this.advance(entry.item));
  }

  private take(entry: Entry<Item>, step: Step): void {
    switch (step.kind) {
      case 'done':
        this.entries.splice(this.entries.indexOf(entry), 1);
        this.order.remove(entry.item.touches);
        this.done(entry.item);
        break;
      case 'stopped':
        this.stopped = true;
        break;
      case 'publishing':
        this.follow(entry, step.until);
        break;
      case 'wait':
        this.wait(entry, step.until, step.blockMs);
        break;
    }
  }

  /** The next one is decided meanwhile, where it may pass. */
  private follow(entry: Entry<Item>, until: Promise<Ended>): void {
    entry.waiting = true;
    const published = this.published(entry, until).finally(() => this.publishing.delete(published));
    this.publishing.add(published);
  }

  private async published(entry: Entry<Item>, until: Promise<Ended>): Promise<void> {
    const step = await until;
    entry.waiting = false;
    this.take(entry, step);
    this.wake();
  }

  private wait(entry: Entry<Item>, until: Promise<void>, blockMs: number): void {
    entry.waiting = true;
    entry.blocking = blockMs > 0;
    const go = (): void => {
      entry.blocking = false;
      this.wake();
    };
    const unblock = blockMs > 0 ? setTimeout(go, blockMs) : undefined;
    void until.finally(() => {
      clearTimeout(unblock);
      entry.waiting = false;
      go();
    });
  }

  private next(): Entry<Item> | undefined {
    const [first] = this.entries;
    if (first && !first.waiting) return first;
    const window = this.entries.slice(0, WINDOW);
    if (!this.order.isOf(window)) this.order = new DecisionOrder();
    for (const [place, entry] of window.entries()) {
      if (entry.waiting && entry.blocking) return undefined;
      if (!entry.waiting && this.order.mayPass(place, window)) return entry;
    }
    return undefined;
  }
}

type Touching = readonly { readonly item: { readonly touches: Touches } }[];

interface Known {
  readonly touches: Touches;
  mayPass: boolean;
  /** Something before it is gone. */
  unsure: boolean;
  /** What it touches, once others are compared with it alone. */
  alone: TouchedSet | undefined;
}

/** Which intents of a queue touch nothing of those before them; kept from one look to the next, as most of them stay. */
class DecisionOrder {
  private readonly known: Known[] = [];
  private readonly before = new TouchedSet();

  isOf(entries: Touching): boolean {
    return this.known.every(({ touches }, place) => entries[place]?.item.touches === touches);
  }

  mayPass(place: number, entries: Touching): boolean {
    for (const { item } of entries.slice(this.known.length, place + 1)) {
      const { touches } = item;
      const mayPass = !this.before.overlaps(touches);
      this.known.push({ touches, mayPass, unsure: false, alone: undefined });
      this.before.add(touches);
    }
    const known = this.known[place]!;
    if (known.unsure) known.mayPass = !this.known.slice(0, place).findLast((earlier) => overlap(earlier, known));
    known.unsure = false;
    return known.mayPass;
  }

  /** One of them is decided. */
  remove(touches: Touches): void {
    const place = this.known.findIndex((known) => known.touches === touches);
    if (place === -1) return;
    this.known.splice(place, 1);
    this.before.remove(touches);
    for (const known of this.known) known.unsure ||= !known.mayPass;
  }
}

function overlap(earlier: Known, { touches }: Known): boolean {
  if (!earlier.alone) {
    earlier.alone = new TouchedSet();
    earlier.alone.add(earlier.touches);
  }
  return earlier.alone.overlaps(touches);
}
