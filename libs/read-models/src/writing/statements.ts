import type Database from 'libsql';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** The connection of one transaction. */
export interface Statements {
  /** Answers rows, each with its values in the order of the columns that were asked for. */
  all(text: string, values: unknown[]): Promise<unknown[][]>;
  /** Answers how many rows were changed. */
  run(text: string, values: unknown[]): Promise<number>;
}

const OF_SQLITE = new WeakMap<DataSource, SqliteStatements>();

export function statementsOf({ connection, queryRunner }: EntityManager): Statements {
  if (connection.options.type === 'postgres') return new PostgresStatements(queryRunner!);
  const known = OF_SQLITE.get(connection) ?? new SqliteStatements(databaseOf(connection));
  OF_SQLITE.set(connection, known);
  return known;
}

type SqliteDatabase = InstanceType<typeof Database>;
type SqliteStatement = ReturnType<SqliteDatabase['prepare']>;

const databaseOf = ({ driver }: DataSource): SqliteDatabase =>
  (driver as unknown as { databaseConnection: SqliteDatabase }).databaseConnection;

/**
 * The driver's own statements, each compiled once: TypeORM's way there cost more than what SQLite did. There are as many
 * as `TableSql` has shapes.
 */
class SqliteStatements implements Statements {
  private readonly compiled = new Map<string, SqliteStatement>();

  constructor(private readonly database: SqliteDatabase) {}

  all(text: string, values: unknown[]): Promise<unknown[][]> {
    return attempt(() => this.statement(text, true).all(values) as unknown[][]);
  }

  run(text: string, values: unknown[]): Promise<number> {
    return attempt(() => this.statement(text, false).run(values).changes);
  }

  private statement(text: string, answers: boolean): SqliteStatement {
    const known = this.compiled.get(text);
    if (known) return known;
    const statement = this.database.prepare(text);
    if (answers) statement.raw();
    this.compiled.set(text, statement);
    return statement;
  }
}

/** What is thrown at once comes as a promise's rejection. */
async function attempt<T>(work: () => T): Promise<T> {
  return work();
}

class PostgresStatements implements Statements {
  constructor(private readonly runner: QueryRunner) {}

  async all(text: string, values: unknown[]): Promise<unknown[][]> {
    const { records } = await this.runner.query(text, values, true);
    return (records as object[]).map((record) => Object.values(record) as unknown[]);
  }

  async run(text: string, values: unknown[]): Promise<number> {
    return (await this.runner.query(text, values, true)).affected ?? 0;
  }
}
