import type {
  Failure,
  IntentId,
  LogicalOperationId,
  Principal,
  RollbackId,
  SessionId,
  WorkspaceName,
} from '@retrace/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type LogicalOperationStatus = 'authorized' | 'stale' | 'applied' | 'failed';
export type OperationKind = 'operation' | 'rollback';
/** Of a logical operation that several intents fill. */
export type Opening = 'open' | 'committed' | 'aborted';

/** What is to come is found by its id alone: its entries would be written and removed for nothing. */
const ENDED = { where: 'sequence IS NOT NULL' };

/**
 * A logical operation from its authorization to its end, its parts merged. `sequence` and `time` are null until one part
 * has ended.
 */
@Entity('logical_operation')
@Index('logical_operation_by_sequence', ['workspace', 'sequence', 'status'], ENDED)
@Index('logical_operation_by_agent', ['workspace', 'agent', 'sequence'], ENDED)
@Index('logical_operation_by_session', ['workspace', 'sessionId', 'sequence'], ENDED)
export class LogicalOperationEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text', { name: 'logical_operation_id' })
  logicalOperationId!: LogicalOperationId;

  /** The first one: of an opened one, that which opened it. */
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

  /** `null`: one intent is all of it. */
  @Column('text', { nullable: true })
  opening!: Opening | null;

  /** Of the newest outcome, or of the commit. */
  @Column('bigint', { nullable: true })
  sequence!: number | null;

  @Column('text', { nullable: true })
  time!: string | null;

  /** `time` in milliseconds since 1970. */
  @Column('bigint', { name: 'time_ms', nullable: true })
  timeMs!: number | null;

  @Column('text', { nullable: true })
  tool!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  /** Of the newest failure; one whose other parts were applied keeps it. */
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

  /** Asked operations that were applied. */
  @Column('integer', { name: 'operation_count' })
  operationCount!: number;

  /** Records of changed paths. */
  @Column('integer', { name: 'path_count' })
  pathCount!: number;

  /** Of those, the ones that nothing took back. */
  @Column('integer', { name: 'live_count' })
  liveCount!: number;

  /** The newest logical operation that took something of it back; `null` while any of it is live. */
  @Column('text', { name: 'undone_by', nullable: true })
  undoneBy!: LogicalOperationId | null;
}
