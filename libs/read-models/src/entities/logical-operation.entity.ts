import type {
  Failure,
  IntentId,
  LogicalOperationId,
  OperationId,
  Principal,
  RollbackId,
  SessionId,
  WorkspaceName,
} from '@retrace/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type LogicalOperationStatus = 'authorized' | 'stale' | 'applied' | 'failed';
export type OperationKind = 'operation' | 'rollback';

/** What an authority asked for: all that is known of the operations of a failure. */
export interface PlannedOperation {
  readonly operation_id: OperationId;
  readonly action: string;
  readonly path: string;
  readonly part: number;
}

/** A logical operation from its authorization to its end. `sequence` and `time` are null until one part has ended. */
@Entity('logical_operation')
@Index('logical_operation_by_sequence', ['workspace', 'sequence'])
@Index('logical_operation_by_agent', ['workspace', 'agent', 'sequence'])
@Index('logical_operation_by_session', ['workspace', 'sessionId', 'sequence'])
@Index('logical_operation_by_status', ['workspace', 'status'])
export class LogicalOperationEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text', { name: 'logical_operation_id' })
  logicalOperationId!: LogicalOperationId;

  @Column('text', { name: 'intent_id' })
  intentId!: IntentId;

  @Column('text')
  agent!: Principal;

  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: SessionId | null;

  @Column('text', { name: 'rollback_id', nullable: true })
  rollbackId!: RollbackId | null;

  @Column('text')
  kind!: OperationKind;

  @Column('text')
  status!: LogicalOperationStatus;

  /** Of the newest outcome. */
  @Column('integer', { nullable: true })
  sequence!: number | null;

  @Column('text', { nullable: true })
  time!: string | null;

  @Column('text', { nullable: true })
  tool!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  /** Of the newest failure; a rollback whose other parts were applied keeps it. */
  @Column('text', { nullable: true })
  code!: string | null;

  @Column('text', { nullable: true })
  message!: string | null;

  /** What that failure met. */
  @Column('simple-json', { nullable: true })
  failure!: Failure | null;

  @Column('text', { nullable: true })
  rule!: string | null;

  @Column('integer', { name: 'policy_version', nullable: true })
  policyVersion!: number | null;

  @Column('simple-json')
  planned!: readonly PlannedOperation[];
}
