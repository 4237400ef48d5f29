import { partitionOf } from '@retrace/contracts';
import { type Durability } from '@retrace/messaging';
import { FoldBatch, LmdbPositions, openEnvironment, type Position } from '@retrace/event-log';
import type { Database, RootDatabase } from 'lmdb';
import { type Change, nameOf, type RowKey, type Table, type Tables } from '../../domain/rows.js';
import { PolicyStore } from '../../ports/policy-store.port.js';
import { RecentRows } from './recent-rows.js';

type StoredKey = [lane: number, table: string, ...key: (string | number)[]];

/** A change to write: of several of one row only the last is written. */
interface RowWrite {
  readonly name: string;
  readonly change: Change;
  /** Before the change there was no such row. */
  readonly isNew: boolean;
}

/** Sorts behind every table name and every key part. */
const LAST = '\uffff';

/** Of the rows' form: under another one everything is folded from the log again. */
const FORM = 3;

/** Rows held in memory: those of the intents in flight, and what every decision asks for. */
const MOST_RECENT = 8_192;

/**
 * The store in one LMDB environment. A key begins with the lane, so that a lane is forgotten as one range. Changes are
 * written in batches; reads see them at once.
 */
export class LmdbPolicyStore extends PolicyStore {
  readonly positions: FoldBatch<RowWrite>;
  private readonly rows: Database<unknown, StoredKey>;
  private readonly stored: LmdbPositions;
  private readonly recent = new RecentRows(MOST_RECENT, () => this.positions.isEmpty);

  private constructor(private readonly root: RootDatabase) {
    super();
    this.rows = root.openDB<unknown, StoredKey>({ name: `rows-${FORM}` });
    this.stored = new LmdbPositions(root.openDB({ name: `positions-${FORM}` }));
    this.positions = new FoldBatch({ root, positions: this.stored, write: (writes) => this.write(writes) });
  }

  /** `process`: the system writes it out in its own time, which outlives the process; `power`: synced on each commit. */
  static open(folder: string, durability: Durability): LmdbPolicyStore {
    return new LmdbPolicyStore(openEnvironment(folder, 'policy', durability));
  }

  get<T extends Table>(table: T, key: RowKey): Tables[T] | undefined {
    const name = nameOf(table, key);
    if (!this.recent.has(name)) this.recent.put(name, this.rows.get(storedKey(table, key)));
    return this.recent.get(name) as Tables[T] | undefined;
  }

  *list<T extends Table>(table: T, lane?: string): Iterable<readonly [RowKey, Tables[T]]> {
    this.positions.flush();
    const lanes = lane === undefined ? Array.from({ length: 64 }, (_, index) => index) : [Number(lane)];
    for (const number of lanes)
      for (const { key, value } of this.rows.getRange({ start: [number, table], end: [number, table, LAST] }))
        yield [key.slice(2) as unknown as RowKey, value as Tables[T]];
  }

  commit(lane: string, position: Position, changes: readonly Change[]): void {
    const names = changes.map(({ table, key }) => nameOf(table, key));
    const writes = changes.map((change, index): RowWrite => ({
      change,
      name: names[index]!,
      isNew: this.recent.has(names[index]!) && this.recent.get(names[index]!) === undefined,
    }));
    // Throws where the lane is held up: then nothing has changed.
    this.positions.add(lane, position, ...writes);
    for (const { name, change } of writes) this.recent.put(name, change.value);
  }

  forget(lane: string): void {
    this.positions.flush();
    this.positions.drop(lane);
    this.recent.clear();
    this.root.transactionSync(() => {
      const keys = [...this.rows.getKeys({ start: [Number(lane), ''], end: [Number(lane), LAST] })];
      for (const key of keys) void this.rows.remove(key);
      this.stored.rewind(lane, undefined);
    });
  }

  async close(): Promise<void> {
    this.positions.flush();
    await this.root.close();
  }

  private write(writes: readonly RowWrite[]): void {
    const last = new Map<string, RowWrite>();
    for (const write of writes) last.set(write.name, { ...write, isNew: (last.get(write.name) ?? write).isNew });
    for (const { change, isNew } of last.values()) {
      const key = storedKey(change.table, change.key);
      if (change.value !== undefined) void this.rows.put(key, change.value);
      else if (!isNew) void this.rows.remove(key);
    }
  }
}

const storedKey = (table: Table, key: RowKey): StoredKey => [partitionOf(key[0]), table, ...key];
