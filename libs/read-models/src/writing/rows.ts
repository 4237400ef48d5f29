import type { WorkspaceName } from '@retrace/contracts';
import type { EntityManager, EntityMetadata, EntityTarget, ObjectLiteral } from 'typeorm';
import { HeldRows } from './held-rows.js';
import { inSteps } from './in-steps.js';
import { type Statements, statementsOf } from './statements.js';
import { TableSql } from './table-sql.js';

const TABLES = new WeakMap<EntityMetadata, TableSql>();

/** Rows by primary key that a fold will ask for. */
export type Wanted = readonly [entity: EntityTarget<ObjectLiteral>, key: ObjectLiteral];

/**
 * The rows of one transaction: pure folds go in, SQL stays here. What is changed by primary key is written by
 * {@link Rows.flush}, and before anything else is asked of its table; many rows in steps, between which others run.
 */
export class Rows {
  private readonly statements: Statements;
  private readonly held = new Map<TableSql, HeldRows<ObjectLiteral>>();

  constructor(private readonly manager: EntityManager) {
    this.statements = statementsOf(manager);
  }

  /** Reads many rows at once, so that asking for each of them later costs nothing. */
  async fetch(wanted: Iterable<Wanted>): Promise<void> {
    const byTable = new Map<EntityTarget<ObjectLiteral>, ObjectLiteral[]>();
    for (const [entity, key] of wanted) {
      const keys = byTable.get(entity) ?? [];
      keys.push(key);
      byTable.set(entity, keys);
    }
    for (const [entity, keys] of byTable) await this.of(entity).fetch(keys);
  }

  /** Puts the row with this key through a fold; what the fold gives back as it was is not written. */
  async change<E extends ObjectLiteral>(
    entity: EntityTarget<E>,
    key: Partial<E>,
    fold: (row: E | undefined) => E | undefined,
  ): Promise<void> {
    const row = await this.one(entity, key);
    const next = fold(row);
    if (next !== undefined && next !== row) this.put(entity, [next]);
  }

  /** `key`: the primary key. */
  one<E extends ObjectLiteral>(entity: EntityTarget<E>, key: Partial<E>): Promise<E | undefined> {
    return this.of(entity).one(key);
  }

  async find<E extends ObjectLiteral, Column extends keyof E & string>(
    entity: EntityTarget<E>,
    where: Partial<E>,
    columns?: readonly Column[],
  ): Promise<Pick<E, Column>[]> {
    const table = await this.written(entity);
    const text = table.select(Object.keys(where), undefined, columns);
    return this.select(table, text, table.some(where), columns);
  }

  /** Some columns of the rows whose `property` is one of many values. */
  async findIn<E extends ObjectLiteral, Column extends keyof E & string>(
    entity: EntityTarget<E>,
    where: Partial<E>,
    property: keyof E & string,
    values: readonly string[],
    columns: readonly Column[],
  ): Promise<Pick<E, Column>[]> {
    const table = await this.written(entity);
    const fixed = table.some(where);
    const found: Pick<E, Column>[] = [];
    await inSteps(values, async (some) => {
      const text = table.select(Object.keys(where), { of: property, values: some.length }, columns);
      found.push(...(await this.select<Pick<E, Column>>(table, text, [...fixed, ...some], columns)));
    });
    return found;
  }

  /** Writes rows over those with the same keys. */
  put<E extends ObjectLiteral>(entity: EntityTarget<E>, rows: readonly E[]): void {
    const held = this.of(entity);
    for (const row of rows) held.put(row);
  }

  /** Writes rows whose keys are new; the others stay as they are. Answers how many were new. */
  add<E extends ObjectLiteral>(entity: EntityTarget<E>, rows: readonly E[]): Promise<number> {
    return this.of(entity).add(rows);
  }

  /** Changes some columns of the rows that `where` finds; answers how many. */
  async set<E extends ObjectLiteral>(entity: EntityTarget<E>, where: Partial<E>, values: Partial<E>): Promise<number> {
    const table = await this.forgotten(entity);
    const text = table.update(Object.keys(values), Object.keys(where));
    return this.statements.run(text, [...table.some(values), ...table.some(where)]);
  }

  /** Changes one column of many rows, each found by its key. */
  async setEach<E extends ObjectLiteral, Set extends keyof E & string, Key extends keyof E & string>(
    entity: EntityTarget<E>,
    where: Partial<E>,
    key: Key,
    set: Set,
    rows: readonly Pick<E, Set | Key>[],
  ): Promise<void> {
    const table = await this.forgotten(entity);
    await inSteps(rows, async (some) => {
      const text = table.updateEach(set, key, Object.keys(where), some.length);
      const values = some.flatMap((row) => table.some({ [key]: row[key], [set]: row[set] }));
      await this.statements.run(text, [...table.some(where), ...values]);
    });
  }

  /** `key`: the primary key. */
  removeOne<E extends ObjectLiteral>(entity: EntityTarget<E>, key: Partial<E>): void {
    this.of(entity).remove(key);
  }

  /** Removes the rows that `where` finds. */
  async remove<E extends ObjectLiteral>(entity: EntityTarget<E>, where: Partial<E>): Promise<void> {
    const table = await this.forgotten(entity);
    await this.statements.run(table.remove(Object.keys(where)), table.some(where));
  }

  /** The workspaces that have rows in a table. */
  async workspacesIn<E extends ObjectLiteral>(entity: EntityTarget<E>): Promise<WorkspaceName[]> {
    const table = await this.written(entity);
    return (await this.statements.all(table.workspaces(), [])).map(([workspace]) => workspace as WorkspaceName);
  }

  /** Writes what is held back. MUST be called before the transaction ends. */
  async flush(): Promise<void> {
    for (const held of this.held.values()) await held.flush();
  }

  /** The table, with all in it that was changed so far. */
  private async written<E extends ObjectLiteral>(entity: EntityTarget<E>): Promise<TableSql> {
    await this.of(entity).flush();
    return this.table(entity);
  }

  /** The same, about to be changed past what is held. */
  private async forgotten<E extends ObjectLiteral>(entity: EntityTarget<E>): Promise<TableSql> {
    const table = await this.written(entity);
    this.of(entity).forget();
    return table;
  }

  private async select<E>(
    table: TableSql,
    text: string,
    values: unknown[],
    columns: readonly string[] | undefined,
  ): Promise<E[]> {
    return (await this.statements.all(text, values)).map((raw) => table.entity<E>(raw, columns));
  }

  private of<E extends ObjectLiteral>(entity: EntityTarget<E>): HeldRows<E> {
    const table = this.table(entity);
    const held = this.held.get(table) ?? new HeldRows<ObjectLiteral>(table, this.statements);
    this.held.set(table, held);
    return held as unknown as HeldRows<E>;
  }

  private table<E extends ObjectLiteral>(entity: EntityTarget<E>): TableSql {
    const { connection } = this.manager;
    const metadata = connection.getMetadata(entity);
    const known = TABLES.get(metadata) ?? new TableSql(metadata, connection.options.type === 'postgres');
    TABLES.set(metadata, known);
    return known;
  }
}
