import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/** SQLite ends a text at a NUL where it is read, PostgreSQL takes none. Its picture stands for it, in keys too. */
const NUL = '\0';
const NUL_PICTURE = '\u2400';

/**
 * The statements of one table. A text of SQL is made once per shape and stays the same, so that SQLite compiles it once:
 * most of the time of a fold went into making and compiling statements.
 */
export class TableSql {
  private readonly texts = new Map<string, string>();
  private readonly columns: readonly ColumnMetadata[];
  private readonly byProperty: ReadonlyMap<string, ColumnMetadata>;
  private readonly table: string;

  constructor(
    metadata: EntityMetadata,
    private readonly numbered: boolean,
  ) {
    this.columns = metadata.columns;
    this.byProperty = new Map(metadata.columns.map((column) => [column.propertyName, column]));
    this.table = metadata.tablePath
      .split('.')
      .map((name) => `"${name}"`)
      .join('.');
  }

  /** `over`: rows with the same keys are written over; else they stay as they are. */
  insert(rows: number, over: boolean): string {
    return this.text(`insert ${rows} ${over}`, () => {
      const names = this.columns.map(quoted).join(', ');
      const values = this.tuples(rows, this.columns.length);
      return `INSERT INTO ${this.table} (${names}) VALUES ${values} ON CONFLICT ${over ? this.overwrite() : 'DO NOTHING'}`;
    });
  }

  /** `columns`: properties; all where absent. */
  select(
    where: readonly string[],
    many: { readonly of: string; readonly values: number } | undefined,
    columns: readonly string[] | undefined,
  ): string {
    return this.text(`select ${columns?.join()} ${where.join()} ${many?.of} ${many?.values}`, () => {
      const names = this.columns
        .filter((column) => columns?.includes(column.propertyName) ?? true)
        .map(quoted)
        .join(', ');
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

  /** A row's values in the order of {@link insert}. */
  values(row: object): unknown[] {
    return this.columns.map((column) => stored(column, (row as Record<string, unknown>)[column.propertyName]));
  }

  /** Values of single columns. */
  some(values: object): unknown[] {
    return Object.entries(values).map(([property, value]) => stored(this.column(property), value));
  }

  /** A row as {@link select} answers it, as the entity's properties. */
  entity<E>(raw: Record<string, unknown>): E {
    const row: Record<string, unknown> = {};
    for (const column of this.columns)
      if (column.databaseName in raw) row[column.propertyName] = loaded(column, raw[column.databaseName]);
    return row as E;
  }

  private column(property: string): ColumnMetadata {
    return this.byProperty.get(property)!;
  }

  private name(property: string): string {
    return quoted(this.column(property));
  }

  private overwrite(): string {
    const [keys, others] = [this.columns.filter((c) => c.isPrimary), this.columns.filter((c) => !c.isPrimary)];
    const target = `(${keys.map(quoted).join(', ')})`;
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

/** JSON needs no care: there a NUL is written as an escape, and comes back whole. */
function stored({ type }: ColumnMetadata, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'simple-json') return JSON.stringify(value);
  return typeof value === 'string' ? storable(value) : value;
}

/** A text as both databases can hold it: without NUL, and well-formed. */
export function storable(text: string): string {
  const whole = text.includes(NUL) ? text.replaceAll(NUL, NUL_PICTURE) : text;
  return whole.replaceAll(/\p{Cs}/gu, '\ufffd');
}

function loaded({ type }: ColumnMetadata, raw: unknown): unknown {
  return type === 'simple-json' && typeof raw === 'string' ? (JSON.parse(raw) as unknown) : raw;
}
