import type { IntentId, Principal, SessionId, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A denial that was the first decision for its attempt of one agent's intent. */
@Entity('denial')
@Index('denial_by_sequence', ['workspace', 'sequence'])
@Index('denial_by_agent', ['workspace', 'agent', 'sequence'])
export class DenialEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text')
  agent!: Principal;

  @PrimaryColumn('text', { name: 'intent_id' })
  intentId!: IntentId;

  @PrimaryColumn('integer')
  attempt!: number;

  @Column('text', { name: 'intent_type' })
  intentType!: string;

  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: SessionId | null;

  @Column('bigint')
  sequence!: number;

  @Column('text')
  time!: string;

  /** `time` in milliseconds since 1970. */
  @Column('bigint', { name: 'time_ms' })
  timeMs!: number;

  @Column('text')
  code!: string;

  @Column('text')
  message!: string;

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
