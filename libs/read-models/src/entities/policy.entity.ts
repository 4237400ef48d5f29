import type { Principal, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One version of a workspace's policy, in full. */
@Entity('policy')
export class PolicyEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('integer')
  version!: number;

  @Column('text')
  name!: string;

  @Column('text')
  yaml!: string;

  @Column('text', { name: 'published_by' })
  publishedBy!: Principal;

  @Column('bigint')
  sequence!: number;

  @Column('text')
  time!: string;
}
