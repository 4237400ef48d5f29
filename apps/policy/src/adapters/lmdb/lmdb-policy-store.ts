import { partitionOf } from '@retrace/contracts';
import { type Durability } from '@retrace/messaging';
import { LmdbPositions, openEnvironment, type Position } from '@retrace/event-log';
import type { Database, RootDatabase } from 'lmdb';
import type { Change, RowKey, Table, Tables } from '../../domain/rows.js';
import { PolicyStore } from '../../ports/policy-store.port.js';

type StoredKey = [lane: number, table: string, ...key: (string | number)[]];

/** Sorts behind every table name and every key part. */
const LAST = '\uffff';

/** Of the rows' form: under another one everything is folded from the log again. */
const FORM = 3;

/** The store in one LMDB environment. A key begins with the lane, so that a lane is forgotten as one range. */
export class LmdbPolicyStore extends PolicyStore {
  readonly positions: LmdbPositions;
  private readonly rows: Database<unknown, StoredKey>;

  private constructor(private readonly root: RootDatabase) {
    super();
    this.rows = root.openDB<unknown, StoredKey>({ name: `rows-${FORM}` });
    this.positions = new LmdbPositions(root.openDB({ name: `positions-${FORM}` }));
  }

  /** `process`: the system writes it out in its own time, which outlives the process; `power`: synced on each commit. */
  static open(folder: string, durability: Durability): LmdbPolicyStore {
    return new LmdbPolicyStore(openEnvironment(folder, 'policy', durability));
  }

  get<T extends Table>(table: T, key: RowKey): Tables[T] | undefined {
    return this.rows.get(storedKey(table, key)) as Tables[T] | undefined;
  }

  *list<T extends Table>(table: T, lane?: string): Iterable<readonly [RowKey, Tables[T]]> {
    const lanes = lane === undefined ? Array.from({ length: 64 }, (_, index) => index) : [Number(lane)];
    for (const number of lanes)
      for (const { key, value } of this.rows.getRange({ start: [number, table], end: [number, table, LAST] }))
        yield [key.slice(2) as unknown as RowKey, value as Tables[T]];
  }

  commit(lane: string, position: Position, changes: readonly Change[]): void {
    this.root.transactionSync(() => {
      for (const { table, key, value } of changes)
        if (value === undefined) void this.rows.remove(storedKey(table, key));
        else void this.rows.put(storedKey(table, key), value);
      this.positions.advance(lane, position);
    });
  }

  forget(lane: string): void {
    this.root.transactionSync(() => {
      const keys = [...this.rows.getKeys({ start: [Number(lane), ''], end: [Number(lane), LAST] })];
      for (const key of keys) void this.rows.remove(key);
      this.positions.rewind(lane, undefined);
    });
  }

  async close(): Promise<void> {
    await this.root.close();
  }
}

const storedKey = (table: Table, key: RowKey): StoredKey => [partitionOf(key[0]), table, ...key];
