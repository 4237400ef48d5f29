import type {
  EventData,
  IntentId,
  LogicalOperationId,
  Principal,
  RollbackCompleted,
  RollbackId,
  WorkspaceName,
} from '@retrace/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export type RollbackStatus = 'authorized' | 'running' | 'completed';
export type RollbackReport = Pick<
  EventData<typeof RollbackCompleted>,
  'outcome' | 'undone' | 'restored' | 'merged' | 'forced' | 'left_out' | 'failures'
>;

@Entity('rollback')
export class RollbackEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text', { name: 'rollback_id' })
  rollbackId!: RollbackId;

  @Column('text', { name: 'logical_operation_id' })
  logicalOperationId!: LogicalOperationId;

  @Column('text', { name: 'intent_id' })
  intentId!: IntentId;

  @Column('text', { name: 'requested_by' })
  requestedBy!: Principal;

  /** `null`: nobody asked for a plan, a logical operation was aborted. */
  @Column('text', { name: 'plan_hash', nullable: true })
  planHash!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('text')
  status!: RollbackStatus;

  /** How many requests it takes; null until the first was made. */
  @Column('integer', { nullable: true })
  parts!: number | null;

  @Column('simple-json', { nullable: true })
  report!: RollbackReport | null;

  /** Of the newest event about it. */
  @Column('bigint')
  sequence!: number;

  @Column('text')
  time!: string;
}
