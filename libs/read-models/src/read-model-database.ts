import Database from 'libsql';
import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { CheckpointTrailEntity } from './entities/checkpoint-trail.entity.js';
import { CheckpointEntity } from './entities/checkpoint.entity.js';
import { DenialEntity } from './entities/denial.entity.js';
import { FoldedEventEntity } from './entities/folded-event.entity.js';
import { LogicalOperationEntity } from './entities/logical-operation.entity.js';
import { MemberEntity } from './entities/member.entity.js';
import { OperationEntity } from './entities/operation.entity.js';
import { OutcomeEntity } from './entities/outcome.entity.js';
import { PlannedPartEntity } from './entities/planned-part.entity.js';
import { PolicyEntity } from './entities/policy.entity.js';
import { RejectedMessageEntity } from './entities/rejected-message.entity.js';
import { RollbackEntity } from './entities/rollback.entity.js';
import { SessionEntity } from './entities/session.entity.js';
import { TouchedPathEntity } from './entities/touched-path.entity.js';
import { WorkspaceEntity } from './entities/workspace.entity.js';
import { CreateReadModels1780185600000 } from './migrations/create-read-models.migration.js';

/** Tables whose rows belong to one workspace: together they are the view. */
export const WORKSPACE_ENTITIES = [
  WorkspaceEntity,
  MemberEntity,
  PolicyEntity,
  SessionEntity,
  LogicalOperationEntity,
  PlannedPartEntity,
  TouchedPathEntity,
  OperationEntity,
  DenialEntity,
  OutcomeEntity,
  RollbackEntity,
  RejectedMessageEntity,
] as const;

/** Tables that say how far a lane is folded. */
export const LANE_ENTITIES = [CheckpointEntity, CheckpointTrailEntity, FoldedEventEntity] as const;

/** Where read models are kept: a file of SQLite, or a schema of a PostgreSQL database. */
export type ReadModelDatabase =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema: string };

const common = {
  entities: [...WORKSPACE_ENTITIES, ...LANE_ENTITIES],
  migrations: [CreateReadModels1780185600000],
  synchronize: false,
};

/** Describes a database to TypeORM. Its migrations run when it is opened for writing. */
export const dataSourceOptions = (database: ReadModelDatabase, use: 'writing' | 'reading'): DataSourceOptions =>
  database.kind === 'sqlite' ? sqliteOptions(database.file, use) : postgresOptions(database, use);

/** libsql stands in for better-sqlite3, so nothing is compiled on install. */
const sqliteOptions = (file: string, use: 'writing' | 'reading'): DataSourceOptions => ({
  ...common,
  type: 'better-sqlite3',
  driver: Database,
  database: file,
  enableWAL: true,
  // Losing the newest transactions in a power cut loses their checkpoints with them: the log is folded again from there.
  prepareDatabase: (connection: InstanceType<typeof Database>) => void connection.pragma('synchronous = NORMAL'),
  migrationsRun: use === 'writing',
});

/** Connections that questions share. */
const READERS = 4;

const postgresOptions = (
  { url, schema }: Extract<ReadModelDatabase, { kind: 'postgres' }>,
  use: 'writing' | 'reading',
): DataSourceOptions => ({
  ...common,
  type: 'postgres',
  driver: pg,
  url,
  schema,
  applicationName: `retrace projection (${use})`,
  // The numbers here are counts and places in the log: far below 2^53.
  parseInt8: true,
  poolSize: use === 'writing' ? 1 : READERS,
  connectTimeoutMS: 10_000,
  migrationsRun: use === 'writing',
  // No extensions: the schema may belong to a user who may not create any.
  installExtensions: false,
});
