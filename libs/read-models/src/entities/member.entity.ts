import type { Principal, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('member')
export class MemberEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text')
  member!: Principal;

  @Column('text', { name: 'added_by' })
  addedBy!: Principal;

  @Column('bigint')
  sequence!: number;
}
