import type { OperationId, PathState, Principal, WorkspaceName, WorkspacePath } from '@retrace/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A state that a path had, from `sequence` on. */
@Entity('version')
@Index('version_by_operation', ['workspace', 'operationId'])
export class VersionEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text')
  path!: WorkspacePath;

  @PrimaryColumn('integer')
  sequence!: number;

  /** Place in the event, from 0: one event may change a path twice. */
  @PrimaryColumn('integer')
  place!: number;

  @Column('simple-json')
  state!: PathState;

  @Column('text', { name: 'operation_id' })
  operationId!: OperationId;

  @Column('text')
  agent!: Principal;
}
