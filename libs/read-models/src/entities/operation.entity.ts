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

/** An applied operation: its record as the log holds it, and the columns that queries ask by. */
@Entity('operation')
@Index('operation_by_logical_operation', ['workspace', 'logicalOperationId', 'part', 'place'])
@Index('operation_by_session', ['workspace', 'sessionId', 'kind'])
@Index('operation_by_id', ['operationId'])
@Index('operation_by_logical_operation_id', ['logicalOperationId'])
export class OperationEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text', { name: 'operation_id' })
  operationId!: OperationId;

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

  @Column('integer')
  sequence!: number;

  @Column('text')
  time!: string;

  @Column('integer')
  part!: number;

  /** Place in its part, from 0. */
  @Column('integer')
  place!: number;

  @Column('simple-json')
  record!: OperationRecord;

  @Column('simple-json')
  compensates!: readonly OperationId[];

  /** Live compensations of this one, oldest first. Empty: it is live itself. */
  @Column('simple-json', { name: 'undone_by' })
  undoneBy!: readonly Compensator[];
}
