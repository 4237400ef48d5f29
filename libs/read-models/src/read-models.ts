import { DataSource, type EntityManager } from 'typeorm';
import { dataSourceOptions, type ReadModelDatabase } from './read-model-database.js';

/** What questions need of the read models. */
export interface ReadModelReader {
  /** Runs `work` on one state of all tables. It MUST NOT write. */
  read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T>;
}

/**
 * The open read models. Folds run one after another, on a connection of their own: a question never waits for a large
 * fold, and sees all of it or nothing.
 */
export class ReadModels implements ReadModelReader {
  private lastFold: Promise<unknown> = Promise.resolve();
  private readonly questions = new Set<Promise<unknown>>();
  private lastQuestion: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly kind: ReadModelDatabase['kind'],
    private readonly writing: DataSource,
    private readonly reading: DataSource,
  ) {}

  /** Opens the database, makes it where there is none and brings its tables up to date. */
  static async open(database: ReadModelDatabase): Promise<ReadModels> {
    const writing = await new DataSource(dataSourceOptions(database, 'writing')).initialize();
    try {
      const reading = await new DataSource(dataSourceOptions(database, 'reading')).initialize();
      return new ReadModels(database.kind, writing, reading);
    } catch (error) {
      await writing.destroy();
      throw error;
    }
  }

  /** Runs `work` alone among those that write, in one transaction: all of it is kept, or, where it throws, nothing. */
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const result = this.lastFold.then(() => this.withoutWait(work));
    this.lastFold = result.catch(() => undefined);
    return result;
  }

  /** One SQLite connection cannot hold two transactions at once; PostgreSQL has a pool. */
  read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const run = (): Promise<T> =>
      this.kind === 'sqlite' ? this.reading.transaction(work) : this.reading.transaction('REPEATABLE READ', work);
    const result = this.kind === 'sqlite' ? this.lastQuestion.then(run) : run();
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.lastQuestion = ended;
    this.questions.add(ended);
    void ended.then(() => this.questions.delete(ended));
    return result;
  }

  /** Resolves when what was begun has ended and the database is closed. */
  async close(): Promise<void> {
    await Promise.all([this.lastFold, ...this.questions]);
    await Promise.all([this.writing.destroy(), this.reading.destroy()]);
  }

  /** A lost connection to PostgreSQL loses the newest transactions with their checkpoints: they are folded again. */
  private withoutWait<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.writing.transaction(async (manager) => {
      if (this.kind === 'postgres') await manager.query('SET LOCAL synchronous_commit TO OFF');
      return work(manager);
    });
  }
}
