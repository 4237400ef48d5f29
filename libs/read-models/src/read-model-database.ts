import Database from 'libsql';
import type { DataSourceOptions } from 'typeorm';
import { CheckpointTrailEntity } from './entities/checkpoint-trail.entity.js';
import { CheckpointEntity } from './entities/checkpoint.entity.js';
import { DecisionEntity } from './entities/decision.entity.js';
import { FileEntity } from './entities/file.entity.js';
import { FoldedEventEntity } from './entities/folded-event.entity.js';
import { LogicalOperationEntity } from './entities/logical-operation.entity.js';
import { MemberEntity } from './entities/member.entity.js';
import { OperationEntity } from './entities/operation.entity.js';
import { OutcomeEntity } from './entities/outcome.entity.js';
import { PolicyEntity } from './entities/policy.entity.js';
import { RejectedMessageEntity } from './entities/rejected-message.entity.js';
import { RollbackEntity } from './entities/rollback.entity.js';
import { SessionEntity } from './entities/session.entity.js';
import { TouchedPathEntity } from './entities/touched-path.entity.js';
import { VersionEntity } from './entities/version.entity.js';
import { WorkspaceEntity } from './entities/workspace.entity.js';
import { AddFailure1767312000000 } from './migrations/add-failure.migration.js';
import { CreateReadModels1767225600000 } from './migrations/create-read-models.migration.js';

/** Tables whose rows belong to one workspace: together they are the view. */
export const WORKSPACE_ENTITIES = [
  WorkspaceEntity,
  MemberEntity,
  PolicyEntity,
  SessionEntity,
  LogicalOperationEntity,
  TouchedPathEntity,
  OperationEntity,
  FileEntity,
  VersionEntity,
  DecisionEntity,
  OutcomeEntity,
  RollbackEntity,
  RejectedMessageEntity,
] as const;

/** Tables that say how far a lane is folded. */
export const LANE_ENTITIES = [CheckpointEntity, CheckpointTrailEntity, FoldedEventEntity] as const;

/** Describes the SQLite file of the read models; libsql stands in for better-sqlite3, so nothing is compiled on install. */
export const readModelDatabase = (file: string): DataSourceOptions => ({
  type: 'better-sqlite3',
  driver: Database,
  database: file,
  enableWAL: true,
  // Losing the newest transactions in a power cut loses their checkpoints with them: the log is folded again from there.
  prepareDatabase: (database: InstanceType<typeof Database>) => void database.pragma('synchronous = NORMAL'),
  entities: [...WORKSPACE_ENTITIES, ...LANE_ENTITIES],
  migrations: [CreateReadModels1767225600000, AddFailure1767312000000],
  migrationsRun: true,
  synchronize: false,
});
