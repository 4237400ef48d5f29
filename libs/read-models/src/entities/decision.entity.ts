import type { IntentId, LogicalOperationId, Principal, SessionId, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type DecisionOutcome = 'authorized' | 'denied';

/** The first decision for one attempt of one agent's intent. */
@Entity('decision')
@Index('decision_by_sequence', ['workspace', 'outcome', 'sequence'])
@Index('decision_by_agent', ['workspace', 'outcome', 'agent', 'sequence'])
export class DecisionEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text')
  agent!: Principal;

  @PrimaryColumn('text', { name: 'intent_id' })
  intentId!: IntentId;

  @PrimaryColumn('integer')
  attempt!: number;

  @Column('text')
  outcome!: DecisionOutcome;

  @Column('text', { name: 'intent_type' })
  intentType!: string;

  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: SessionId | null;

  @Column('text', { name: 'logical_operation_id', nullable: true })
  logicalOperationId!: LogicalOperationId | null;

  @Column('bigint')
  sequence!: number;

  @Column('text')
  time!: string;

  /** `time` in milliseconds since 1970. */
  @Column('bigint', { name: 'time_ms' })
  timeMs!: number;

  /** Of a denial. */
  @Column('text', { nullable: true })
  code!: string | null;

  @Column('text', { nullable: true })
  message!: string | null;

  @Column('text', { nullable: true })
  rule!: string | null;

  @Column('integer', { name: 'policy_version', nullable: true })
  policyVersion!: number | null;

  /** Of the refused operation, in its one spelling where it has one. */
  @Column('text', { nullable: true })
  path!: string | null;

  @Column('text', { nullable: true })
  action!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;
}
