import type { Principal, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A workspace that the log speaks of. `root` is null until it is registered; only then is it listed. */
@Entity('workspace')
export class WorkspaceEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @Column('text', { nullable: true })
  root!: string | null;

  @Column('text', { nullable: true })
  host!: string | null;

  @Column('text', { name: 'registered_by', nullable: true })
  registeredBy!: Principal | null;

  /** Name of the policy in force. */
  @Column('text', { nullable: true })
  policy!: string | null;

  /** 0: none yet. */
  @Column('integer', { name: 'policy_version' })
  policyVersion!: number;
}
