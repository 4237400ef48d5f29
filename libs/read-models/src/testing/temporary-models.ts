import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredEvent } from '@retrace/contracts';
import { partitionOf } from '@retrace/contracts';
import type { ReadModelDatabase } from '../read-model-database.js';
import { ReadModels } from '../read-models.js';
import { type FoldStep, ReadModelFolds } from '../writing/read-model-folds.js';
import { PostgresClient } from '../postgres-client.js';
import { PostgresServer } from './postgres-server.js';

export const laneOf = ({ workspace }: Pick<StoredEvent, 'workspace'>): string => String(partitionOf(workspace));

/** A kind of database, and how a spec gets an empty one of it. */
export interface ModelsFactory {
  open(): Promise<TemporaryModels>;
  close(): Promise<void>;
}

/** Read models in a database of their own, which can be closed and opened again. */
export class TemporaryModels {
  private constructor(
    readonly database: ReadModelDatabase,
    private readonly drop: () => Promise<void>,
    public models: ReadModels,
  ) {}

  /** In a file of SQLite. */
  static async open(): Promise<TemporaryModels> {
    const folder = await mkdtemp(join(tmpdir(), 'retrace-read-models-'));
    const database = { kind: 'sqlite', file: join(folder, 'read-models.sqlite') } as const;
    return new TemporaryModels(database, () => rm(folder, { recursive: true }), await ReadModels.open(database));
  }

  /** In a schema of a PostgreSQL database. */
  static async inSchema(url: string, schema: string): Promise<TemporaryModels> {
    await inDatabase(url, `CREATE SCHEMA ${schema}`);
    const database = { kind: 'postgres', url, schema } as const;
    const drop = (): Promise<void> => inDatabase(url, `DROP SCHEMA ${schema} CASCADE`);
    return new TemporaryModels(database, drop, await ReadModels.open(database));
  }

  get folds(): ReadModelFolds {
    return new ReadModelFolds(this.models);
  }

  /** The name of a table in SQL. */
  table(name: string): string {
    return this.database.kind === 'sqlite' ? `"${name}"` : `"${this.database.schema}"."${name}"`;
  }

  async foldAll(events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) await this.folds.fold(laneOf(event), event);
  }

  /** Folds up to `size` events of a lane at once. */
  async foldInBatches(events: readonly StoredEvent[], size: number): Promise<void> {
    const lanes = new Map<string, FoldStep[]>();
    for (const event of events) {
      const step = { event, position: { sequence: event.sequence, eventId: event.id } };
      lanes.set(laneOf(event), [...(lanes.get(laneOf(event)) ?? []), step]);
    }
    for (const [lane, steps] of lanes)
      for (let at = 0; at < steps.length; at += size) await this.folds.foldAll(lane, steps.slice(at, at + size));
  }

  async restart(): Promise<void> {
    await this.models.close();
    this.models = await ReadModels.open(this.database);
  }

  async remove(): Promise<void> {
    await this.models.close();
    await this.drop();
  }
}

export const sqliteModels = (): Promise<ModelsFactory> =>
  Promise.resolve({ open: () => TemporaryModels.open(), close: () => Promise.resolve() });

export async function postgresModels(): Promise<ModelsFactory> {
  const server = await PostgresServer.start();
  const url = await server.database();
  let schemas = 0;
  return { open: () => TemporaryModels.inSchema(url, `models_${(schemas += 1)}`), close: () => server.stop() };
}

async function inDatabase(url: string, text: string): Promise<void> {
  const client = new PostgresClient({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
