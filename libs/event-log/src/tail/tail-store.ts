import type { Database, RootDatabase } from 'lmdb';
import { GroupCommit } from '@retrace/platform/group-commit';
import { openEnvironment } from '../adapters/lmdb/open-environment.js';
import type { RememberedEvent, TailNumber, Unplaced } from './remembered-event.js';

export interface TailLimits {
  /** How long an event is remembered at least, in ms. */
  readonly windowMs: number;
  /** The most that all of them take, in bytes: then the oldest go before their time. */
  readonly maxBytes: number;
}

/** The broker writes its store out every two minutes. */
export const DEFAULT_TAIL_LIMITS: TailLimits = { windowMs: 10 * 60_000, maxBytes: 256 * 1024 * 1024 };

/** What is remembered is forgotten by the drawer: emptying one costs next to nothing, removing events one by one does. */
const DRAWERS = 6;
/**
 * How long a write waits for others. With `process` nobody waits for it: a broker loses what it acknowledged when the
 * machine loses power, and then this store, which is not synced either, loses its last moment with it.
 */
const WAIT_MS = 10;
/** Events between two looks at how full a drawer is. */
const LOOK_EVERY = 64;

interface Drawer {
  /** Of its events. */
  first: TailNumber;
  readonly events: Database<RememberedEvent, TailNumber>;
  readonly places: Database<number, TailNumber>;
}

interface Stats {
  readonly pageSize: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** Remembered events in an LMDB environment of their own. Writes are committed in groups, beside the event loop. */
export class TailStore {
  private current = 0;
  private next: TailNumber = 1;
  /** When the first event came into the current drawer; ms since 1970. */
  private since = Date.now();
  private turning: Promise<void> | undefined;

  private constructor(
    private readonly root: RootDatabase,
    private readonly drawers: readonly Drawer[],
    private readonly limits: TailLimits,
    private readonly commits: GroupCommit,
    private readonly durability: 'process' | 'power',
  ) {
    for (const [i, drawer] of drawers.entries()) {
      const [last] = drawer.events.getKeys({ reverse: true, limit: 1 });
      const [first] = drawer.events.getRange({ limit: 1 });
      if (last === undefined || first === undefined) continue;
      drawer.first = first.key;
      if (last < this.next) continue;
      this.next = last + 1;
      this.current = i;
      this.since = first.value.at;
    }
  }

  static open(folder: string, durability: 'process' | 'power', limits = DEFAULT_TAIL_LIMITS): TailStore {
    const root = openEnvironment(folder, 'tail', durability);
    const drawer = (_: unknown, i: number): Drawer => ({
      first: i === 0 ? 1 : Infinity,
      events: root.openDB({ name: `events-${i}` }),
      places: root.openDB({ name: `places-${i}` }),
    });
    const transaction = (work: () => void) =>
      durability === 'power' ? root.transaction(work) : root.transactionSync(work);
    const commits = new GroupCommit(transaction, WAIT_MS);
    return new TailStore(root, Array.from({ length: DRAWERS }, drawer), limits, commits, durability);
  }

  /** Whether a write is to be waited for before what it says counts. */
  get isSynced(): boolean {
    return this.durability === 'power';
  }

  /** Takes an event in. `committed` resolves once it is as durable as the store promises. */
  add(event: RememberedEvent): { readonly number: TailNumber; readonly committed: Promise<unknown> } {
    const number = this.next++;
    const { events } = this.drawers[this.current]!;
    const committed = this.commits.commit(() => void events.put(number, event));
    if (number % LOOK_EVERY === 0) this.turn();
    return { number, committed };
  }

  /** The log has it there. */
  place(number: TailNumber, sequence: number): Promise<unknown> {
    return this.commits.commit(() => void this.drawerOf(number).places.put(number, sequence));
  }

  /** Where it was counts no more. */
  async unplace(numbers: readonly TailNumber[]): Promise<void> {
    await this.commits.commit(() => {
      for (const number of numbers) void this.drawerOf(number).places.remove(number);
    });
  }

  async forget(number: TailNumber): Promise<void> {
    await this.commits.commit(() => {
      const { events, places } = this.drawerOf(number);
      void events.remove(number);
      void places.remove(number);
    });
  }

  get(number: TailNumber): RememberedEvent | undefined {
    return this.drawerOf(number).events.get(number);
  }

  /** The newest first. */
  *newest(): Iterable<Unplaced> {
    for (let i = 0; i < DRAWERS; i++) {
      const { events, places } = this.drawers[(this.current - i + DRAWERS) % DRAWERS]!;
      for (const number of events.getKeys({ reverse: true })) yield { number, sequence: places.get(number) };
    }
  }

  /** Resolves when what was written so far can be read here. */
  async settled(): Promise<void> {
    await this.commits.commit(() => undefined);
  }

  async close(): Promise<void> {
    await this.turning;
    this.commits.flush();
    await this.root.close();
  }

  private drawerOf(number: TailNumber): Drawer {
    for (let i = 0; i < DRAWERS; i++) {
      const drawer = this.drawers[(this.current - i + DRAWERS) % DRAWERS]!;
      if (drawer.first <= number) return drawer;
    }
    return this.drawers[this.current]!;
  }

  /** Begins the next drawer where this one is full or old; what lay in that one is the oldest, and goes. */
  private turn(): void {
    const { windowMs, maxBytes } = this.limits;
    // What waits to be written is not counted otherwise.
    this.commits.flush();
    const stats = this.drawers[this.current]!.events.getStats() as Stats;
    const bytes = (stats.treeLeafPageCount + stats.overflowPages) * stats.pageSize;
    const old = Date.now() - this.since > windowMs / (DRAWERS - 2);
    if (this.turning || (!old && bytes < maxBytes / DRAWERS)) return;
    // Not turned, it fills up further, and is looked at again.
    this.turning = this.beginNext().catch(() => undefined);
  }

  private async beginNext(): Promise<void> {
    const to = (this.current + 1) % DRAWERS;
    const drawer = this.drawers[to]!;
    drawer.first = Infinity;
    try {
      await Promise.all([written(drawer.events.clearAsync()), written(drawer.places.clearAsync())]);
      drawer.first = this.next;
      this.current = to;
      this.since = Date.now();
    } finally {
      this.turning = undefined;
    }
  }
}

/** LMDB tells why a commit failed in a second promise; left alone that would end the process as an unhandled rejection. */
async function written<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    await (error as { commitError?: Promise<void> }).commitError;
    throw error;
  }
}
