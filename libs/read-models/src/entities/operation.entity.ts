import type {
  LogicalOperationId,
  OperationId,
  OperationRecord,
  Principal,
  RecordedAction,
  SessionId,
  WorkspaceName,
  WorkspacePath,
} from '@retrace/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OperationKind } from './logical-operation.entity.js';

/** A live compensation: the operation that takes another one back, and the logical operation that it belongs to. */
export interface Compensator {
  readonly operation_id: OperationId;
  readonly logical_operation_id: LogicalOperationId;
  readonly sequence: number;
}

/** A changed path: its record as the log holds it, and the columns that queries ask by. */
@Entity('operation')
@Index('operation_by_logical_operation', ['logicalOperationId', 'workspace', 'ordinal'])
@Index('operation_asked', ['logicalOperationId', 'workspace', 'asked'])
@Index('operation_by_path', ['workspace', 'pathKey', 'sequence', 'ordinal'])
export class OperationEntity {
  @PrimaryColumn('text', { name: 'operation_id' })
  operationId!: OperationId;

  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  /**
   * How many earlier records have the same id: 0, where everybody keeps to the rules. A record that somebody wrote under an
   * id that was taken is shown beside the first one; what takes that id back speaks of the first.
   */
  @PrimaryColumn('integer')
  repeated!: number;

  @Column('text', { name: 'logical_operation_id' })
  logicalOperationId!: LogicalOperationId;

  /** The subject's agent, which nobody can claim. */
  @Column('text')
  agent!: Principal;

  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: SessionId | null;

  @Column('text')
  kind!: OperationKind;

  @Column('text')
  action!: RecordedAction;

  @Column('text')
  path!: WorkspacePath;

  /** See `pathKey`. */
  @Column('text', { name: 'path_key' })
  pathKey!: string;

  @Column('bigint')
  sequence!: number;

  @Column('text')
  time!: string;

  /** Place among all records of the logical operation, from 0. */
  @Column('integer')
  ordinal!: number;

  /** Place among its asked operations, from 0; `null`: a part of one. */
  @Column('integer', { nullable: true })
  asked!: number | null;

  @Column('text', { name: 'part_of', nullable: true })
  partOf!: OperationId | null;

  /** Paths that an asked operation changed, and those of them that nothing took back; 0 of a part. */
  @Column('integer')
  paths!: number;

  @Column('integer', { name: 'live_paths' })
  livePaths!: number;

  @Column('text', { name: 'moved_from', nullable: true })
  movedFrom!: WorkspacePath | null;

  @Column('text', { name: 'copied_from', nullable: true })
  copiedFrom!: WorkspacePath | null;

  @Column('simple-json')
  record!: OperationRecord;

  @Column('simple-json')
  compensates!: readonly OperationId[];

  /** Live compensations of this one, oldest first. Empty: it is live itself. */
  @Column('simple-json', { name: 'undone_by' })
  undoneBy!: readonly Compensator[];
}
