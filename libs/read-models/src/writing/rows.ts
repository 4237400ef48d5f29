import { setImmediate as breathe } from 'node:timers/promises';
import type { WorkspaceName } from '@retrace/contracts';
import type { EntityManager, EntityMetadata, EntityTarget, ObjectLiteral, QueryResult } from 'typeorm';
import { TableSql } from './table-sql.js';

/**
 * Rows per statement. Few sizes, so that few statements are compiled; 128 rows of the widest table are below what SQLite
 * (32,766) and PostgreSQL (65,535) bind.
 */
const SIZES = [128, 16, 1];

const TABLES = new WeakMap<EntityMetadata, TableSql>();

/** The rows of one transaction: pure folds go in, SQL stays here. Many rows are written in steps, between which others run. */
export class Rows {
  constructor(private readonly manager: EntityManager) {}

  /** Puts the row with this key through a fold; what the fold gives back as it was is not written. */
  async change<E extends ObjectLiteral>(
    entity: EntityTarget<E>,
    key: Partial<E>,
    fold: (row: E | undefined) => E | undefined,
  ): Promise<void> {
    const row = await this.one(entity, key);
    const next = fold(row);
    if (next !== undefined && next !== row) await this.put(entity, [next]);
  }

  async one<E extends ObjectLiteral>(entity: EntityTarget<E>, key: Partial<E>): Promise<E | undefined> {
    const table = this.table(entity);
    const text = table.select(Object.keys(key), undefined, undefined);
    return (await this.select<E>(table, text, table.some(key)))[0];
  }

  async find<E extends ObjectLiteral, Column extends keyof E & string>(
    entity: EntityTarget<E>,
    where: Partial<E>,
    columns?: readonly Column[],
  ): Promise<Pick<E, Column>[]> {
    const table = this.table(entity);
    return this.select(table, table.select(Object.keys(where), undefined, columns), table.some(where));
  }

  /** Some columns of the rows whose `property` is one of many values. */
  async findIn<E extends ObjectLiteral, Column extends keyof E & string>(
    entity: EntityTarget<E>,
    where: Partial<E>,
    property: keyof E & string,
    values: readonly string[],
    columns: readonly Column[],
  ): Promise<Pick<E, Column>[]> {
    const table = this.table(entity);
    const fixed = table.some(where);
    const found: Pick<E, Column>[] = [];
    await this.inSteps(values, async (some) => {
      const text = table.select(Object.keys(where), { of: property, values: some.length }, columns);
      found.push(...(await this.select<Pick<E, Column>>(table, text, [...fixed, ...some])));
    });
    return found;
  }

  /** Writes rows, each key once, over those with the same keys. */
  async put<E extends ObjectLiteral>(entity: EntityTarget<E>, rows: readonly E[]): Promise<void> {
    await this.insert(entity, rows, true);
  }

  /** Writes rows whose keys are new; the others stay as they are. Answers how many were new. */
  add<E extends ObjectLiteral>(entity: EntityTarget<E>, rows: readonly E[]): Promise<number> {
    return this.insert(entity, rows, false);
  }

  /** Changes some columns of the rows that `where` finds; answers how many. */
  async set<E extends ObjectLiteral>(entity: EntityTarget<E>, where: Partial<E>, values: Partial<E>): Promise<number> {
    const table = this.table(entity);
    const text = table.update(Object.keys(values), Object.keys(where));
    return (await this.run(text, [...table.some(values), ...table.some(where)])).affected ?? 0;
  }

  /** Changes one column of many rows, each found by its key. */
  async setEach<E extends ObjectLiteral, Set extends keyof E & string, Key extends keyof E & string>(
    entity: EntityTarget<E>,
    where: Partial<E>,
    key: Key,
    set: Set,
    rows: readonly Pick<E, Set | Key>[],
  ): Promise<void> {
    const table = this.table(entity);
    await this.inSteps(rows, async (some) => {
      const text = table.updateEach(set, key, Object.keys(where), some.length);
      const values = some.flatMap((row) => table.some({ [key]: row[key], [set]: row[set] }));
      await this.run(text, [...table.some(where), ...values]);
    });
  }

  async remove<E extends ObjectLiteral>(entity: EntityTarget<E>, where: Partial<E>): Promise<void> {
    const table = this.table(entity);
    await this.run(table.remove(Object.keys(where)), table.some(where));
  }

  /** The workspaces that have rows in a table. */
  async workspacesIn<E extends ObjectLiteral>(entity: EntityTarget<E>): Promise<WorkspaceName[]> {
    const { records } = await this.run(this.table(entity).workspaces(), []);
    return (records as { workspace: WorkspaceName }[]).map(({ workspace }) => workspace);
  }

  private async insert<E extends ObjectLiteral>(entity: EntityTarget<E>, rows: readonly E[], over: boolean) {
    const table = this.table(entity);
    let written = 0;
    await this.inSteps(rows, async (some) => {
      const values = some.flatMap((row) => table.values(row));
      written += (await this.run(table.insert(some.length, over), values)).affected ?? 0;
    });
    return written;
  }

  /** SQLite answers at once: without a break a large fold would hold up everything else in the thread. */
  private async inSteps<T>(all: readonly T[], step: (some: readonly T[]) => Promise<void>): Promise<void> {
    for (let at = 0; at < all.length;) {
      const size = SIZES.find((rows) => rows <= all.length - at)!;
      await step(all.slice(at, at + size));
      at += size;
      if (size === SIZES[0]) await breathe();
    }
  }

  private async select<E>(table: TableSql, text: string, values: unknown[]): Promise<E[]> {
    const { records } = await this.run(text, values);
    return (records as Record<string, unknown>[]).map((raw) => table.entity<E>(raw));
  }

  private run(text: string, values: unknown[]): Promise<QueryResult> {
    return this.manager.queryRunner!.query(text, values, true);
  }

  private table<E extends ObjectLiteral>(entity: EntityTarget<E>): TableSql {
    const { connection } = this.manager;
    const metadata = connection.getMetadata(entity);
    const known = TABLES.get(metadata) ?? new TableSql(metadata, connection.options.type === 'postgres');
    TABLES.set(metadata, known);
    return known;
  }
}
