import { DataSource, type EntityManager } from 'typeorm';
import { readModelDatabase } from './read-model-database.js';

/**
 * The open read models. One SQLite connection serves all lanes and queries: transactions run one after another, else a
 * query would see rows of a transaction that may yet be rolled back.
 */
export class ReadModels {
  private last: Promise<unknown> = Promise.resolve();

  private constructor(private readonly source: DataSource) {}

  /** Opens the file, makes it where there is none and brings its tables up to date. */
  static async open(file: string): Promise<ReadModels> {
    return new ReadModels(await new DataSource(readModelDatabase(file)).initialize());
  }

  /** Runs `work` alone, in one transaction: all of it is kept, or, where it throws, nothing. */
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const result = this.last.then(() => this.source.transaction(work));
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when what was begun has ended and the file is closed. */
  async close(): Promise<void> {
    await this.last;
    await this.source.destroy();
  }
}
