import type { Principal, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** As `query.workspaces` shows it. */
export interface Baseline {
  readonly sequence: number;
  readonly manifest_hash: string;
  readonly files: number;
  readonly bytes: number;
  readonly ignored_rules: string[];
  readonly ignored_entries: number;
  readonly skipped: number;
}

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

  /** What was stored of what stood there; `null`: not yet. */
  @Column('simple-json', { nullable: true })
  baseline!: Baseline | null;
}
