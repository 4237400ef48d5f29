import { TouchedSet, type Touches } from '../domain/touches.js';

/** What became of one step: decided, stopped with the service, or waiting; for `blockMs` nothing passes it. */
export type Step =
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'wait'; readonly until: Promise<void>; readonly blockMs: number };

interface Entry<Item> {
  readonly item: Item;
  waiting: boolean;
  blocking: boolean;
}

/** Intents behind so many that wait are not looked at: looking on would cost more with each. */
const WINDOW = 256;

/**
 * The intents of one principal in one workspace. They are decided one after another in their order; while one waits, a
 * later one passes it if the two touch nothing in common.
 */
export class IntentQueue<Item extends { readonly touches: Touches; readonly inSequence: number }> {
  private readonly entries: Entry<Item>[] = [];
  private order = new DecisionOrder();
  private running: Promise<void> | undefined;
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
    while (this.running) await this.running;
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
    for (let entry = this.next(); entry && !this.stopped; entry = this.next()) {
      const step = await this.advance(entry.item);
      switch (step.kind) {
        case 'done':
          this.entries.splice(this.entries.indexOf(entry), 1);
          this.done(entry.item);
          break;
        case 'stopped':
          this.stopped = true;
          break;
        case 'wait':
          this.wait(entry, step.until, step.blockMs);
          break;
      }
    }
  }

  private wait(entry: Entry<Item>, until: Promise<void>, blockMs: number): void {
    entry.waiting = true;
    entry.blocking = blockMs > 0;
    const unblock = setTimeout(() => {
      entry.blocking = false;
      this.wake();
    }, blockMs);
    void until.finally(() => {
      clearTimeout(unblock);
      entry.waiting = false;
      entry.blocking = false;
      this.wake();
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

/** Which intents of a queue touch nothing of those before them; kept from one look to the next, as most of them stay. */
class DecisionOrder {
  private readonly known: { readonly touches: Touches; readonly mayPass: boolean }[] = [];
  private readonly before = new TouchedSet();

  isOf(entries: Touching): boolean {
    return this.known.every(({ touches }, place) => entries[place]?.item.touches === touches);
  }

  mayPass(place: number, entries: Touching): boolean {
    for (const { item } of entries.slice(this.known.length, place + 1)) {
      const { touches } = item;
      this.known.push({ touches, mayPass: !this.before.overlaps(touches) });
      this.before.add(touches);
    }
    return this.known[place]!.mayPass;
  }
}
