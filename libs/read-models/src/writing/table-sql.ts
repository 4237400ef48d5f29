import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { loaded, storable, stored } from './column-values.js';

/**
 * The statements of one table. A text of SQL is made once per shape and stays the same, so that SQLite compiles it once:
 * most of the time of a fold went into making and compiling statements.
 */
export class TableSql {
  private readonly texts = new Map<string, string>();
  private readonly columns: readonly ColumnMetadata[];
  private readonly keys: readonly ColumnMetadata[];
  private readonly byProperty: ReadonlyMap<string, ColumnMetadata>;
  private readonly table: string;

  constructor(
    metadata: EntityMetadata,
    private readonly numbered: boolean,
  ) {
    this.columns = metadata.columns;
    this.keys = metadata.columns.filter(({ isPrimary }) => isPrimary);
    this.byProperty = new Map(metadata.columns.map((column) => [column.propertyName, column]));
    this.table = metadata.tablePath
      .split('.')
      .map((name) => `"${name}"`)
      .join('.');
  }

  /** Rows with the same keys are written over. */
  insert(rows: number): string {
    return this.text(`insert ${rows}`, () => {
      const names = this.columns.map(quoted).join(', ');
      const values = this.tuples(rows, this.columns.length);
      return `INSERT INTO ${this.table} (${names}) VALUES ${values} ON CONFLICT ${this.overwrite()}`;
    });
  }

  /** Whole rows by their keys, which are bound as one JSON text: an array of {@link TableSql.keyValues}. */
  fetch(): string {
    return this.text('fetch', () => {
      const names = this.columns.map((column) => `${this.table}.${quoted(column)}`).join(', ');
      const equal = this.keys.map((column, at) => `${this.table}.${quoted(column)} = ${this.wanted(column, at)}`);
      // SQLite takes the order of a CROSS JOIN: from the keys into the table.
      return `SELECT ${names} FROM ${this.list()} AS wanted CROSS JOIN ${this.table} WHERE ${equal.join(' AND ')}`;
    });
  }

  /** Removes rows by their keys, bound as in {@link TableSql.fetch}. */
  removeEach(): string {
    return this.text('remove each', () => {
      const names = this.keys.map(quoted).join(', ');
      const values = this.keys.map((column, at) => this.wanted(column, at)).join(', ');
      return `DELETE FROM ${this.table} WHERE (${names}) IN (SELECT ${values} FROM ${this.list()} AS wanted)`;
    });
  }

  /** `columns`: properties; all where absent. */
  select(
    where: readonly string[],
    many: { readonly of: string; readonly values: number } | undefined,
    columns?: readonly string[],
  ): string {
    return this.text(`select ${columns?.join()} ${where.join()} ${many?.of} ${many?.values}`, () => {
      const names = this.selected(columns).map(quoted).join(', ');
      const list = many && [`${this.name(many.of)} IN (${this.marks(where.length, many.values).join(', ')})`];
      const conditions = [...this.equal(where, 0), ...(list ?? [])].join(' AND ');
      return `SELECT ${names} FROM ${this.table}${conditions && ` WHERE ${conditions}`}`;
    });
  }

  update(set: readonly string[], where: readonly string[]): string {
    return this.text(`update ${set.join()} ${where.join()}`, () => {
      const assigned = this.equal(set, 0).join(', ');
      return `UPDATE ${this.table} SET ${assigned} WHERE ${this.equal(where, set.length).join(' AND ')}`;
    });
  }

  /** Sets one column of several rows, each its own value; both databases name the columns of VALUES alike. */
  updateEach(set: string, key: string, where: readonly string[], rows: number): string {
    return this.text(`each ${set} ${key} ${where.join()} ${rows}`, () => {
      const fixed = this.equal(where, 0).map((condition) => `${this.table}.${condition}`);
      const values = this.tuples(rows, 2, where.length);
      const condition = [`${this.table}.${this.name(key)} = changed.column1`, ...fixed].join(' AND ');
      const { type } = this.column(set);
      // A value of VALUES is a text to PostgreSQL, whatever is bound there.
      const value = type === 'integer' || type === 'bigint' ? `CAST(changed.column2 AS ${type})` : 'changed.column2';
      return `UPDATE ${this.table} SET ${this.name(set)} = ${value} FROM (VALUES ${values}) AS changed WHERE ${condition}`;
    });
  }

  remove(where: readonly string[]): string {
    return this.text(`delete ${where.join()}`, () => {
      return `DELETE FROM ${this.table} WHERE ${this.equal(where, 0).join(' AND ')}`;
    });
  }

  workspaces(): string {
    return `SELECT DISTINCT workspace FROM ${this.table}`;
  }

  /** Values of the primary key as they are stored. */
  keyValues(row: object): unknown[] {
    return this.keys.map((column) => stored(column, (row as Record<string, unknown>)[column.propertyName]));
  }

  /** The row with texts as they are stored: itself, mostly. */
  storable<E extends object>(row: E): E {
    let whole = row;
    for (const { type, propertyName } of this.columns) {
      const value = (row as Record<string, unknown>)[propertyName];
      if (typeof value !== 'string' || type === 'simple-json') continue;
      const text = storable(value);
      if (text !== value) whole = { ...whole, [propertyName]: text };
    }
    return whole;
  }

  /** Values of a {@link TableSql.storable} row in the order of {@link TableSql.insert}. */
  values(row: object): unknown[] {
    return this.columns.map(({ type, propertyName }) => {
      const value = (row as Record<string, unknown>)[propertyName] ?? null;
      return type === 'simple-json' && value !== null ? JSON.stringify(value) : value;
    });
  }

  /** Values of single columns. */
  some(values: object): unknown[] {
    return Object.entries(values).map(([property, value]) => stored(this.column(property), value));
  }

  /** A row as {@link TableSql.select} answers it, with the same `columns`, as the entity's properties. */
  entity<E>(raw: readonly unknown[], columns?: readonly string[]): E {
    const row: Record<string, unknown> = {};
    const selected = this.selected(columns);
    for (let at = 0; at < selected.length; at++) row[selected[at]!.propertyName] = loaded(selected[at]!, raw[at]);
    return row as E;
  }

  private selected(columns: readonly string[] | undefined): readonly ColumnMetadata[] {
    return columns ? this.columns.filter(({ propertyName }) => columns.includes(propertyName)) : this.columns;
  }

  /** A list of keys, as a table of one column named `value`. */
  private list(): string {
    return this.numbered ? 'jsonb_array_elements($1::jsonb)' : 'json_each(?1)';
  }

  private wanted({ type }: ColumnMetadata, at: number): string {
    const value = `wanted.value ->> ${at}`;
    return type === 'integer' || type === 'bigint' ? `CAST(${value} AS ${type})` : `(${value})`;
  }

  private column(property: string): ColumnMetadata {
    return this.byProperty.get(property)!;
  }

  private name(property: string): string {
    return quoted(this.column(property));
  }

  private overwrite(): string {
    const others = this.columns.filter((c) => !c.isPrimary);
    const target = `(${this.keys.map(quoted).join(', ')})`;
    if (others.length === 0) return `${target} DO NOTHING`;
    return `${target} DO UPDATE SET ${others.map((c) => `${quoted(c)} = excluded.${quoted(c)}`).join(', ')}`;
  }

  private equal(properties: readonly string[], from: number): string[] {
    const marks = this.marks(from, properties.length);
    return properties.map((property, at) => `${this.name(property)} = ${marks[at]}`);
  }

  private tuples(rows: number, width: number, from = 0): string {
    return Array.from({ length: rows }, (_, row) => `(${this.marks(from + row * width, width).join(', ')})`).join(', ');
  }

  private marks(from: number, count: number): string[] {
    return Array.from({ length: count }, (_, at) => (this.numbered ? `$${from + at + 1}` : `?${from + at + 1}`));
  }

  private text(shape: string, make: () => string): string {
    const known = this.texts.get(shape) ?? make();
    this.texts.set(shape, known);
    return known;
  }
}

const quoted = ({ databaseName }: ColumnMetadata): string => `"${databaseName}"`;
