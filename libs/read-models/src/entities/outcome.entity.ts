import type { IntentId, LogicalOperationId, Principal, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export type OutcomeStatus = 'undecided' | 'authorized' | 'denied' | 'applied' | 'failed' | 'completed';

/** What became of one agent's intent. `type` and `data` are those of the event that ended it; null until then. */
@Entity('outcome', { withoutRowid: true })
export class OutcomeEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text', { name: 'intent_id' })
  intentId!: IntentId;

  @PrimaryColumn('text')
  agent!: Principal;

  /** The newest attempt that was decided; 0 where only its end is known. */
  @Column('integer')
  attempt!: number;

  @Column('text')
  status!: OutcomeStatus;

  @Column('bigint')
  sequence!: number;

  @Column('text', { name: 'logical_operation_id', nullable: true })
  logicalOperationId!: LogicalOperationId | null;

  @Column('text', { nullable: true })
  type!: string | null;

  /** Without `operations` where they were applied: those stand in the table of operations. */
  @Column('simple-json', { nullable: true })
  data!: unknown;
}
