import type { OperationId, PathState, Principal, WorkspaceName, WorkspacePath } from '@retrace/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The newest recorded state of a path. */
@Entity('file')
export class FileEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text')
  path!: WorkspacePath;

  @Column('simple-json')
  state!: PathState;

  @Column('integer')
  sequence!: number;

  @Column('text', { name: 'operation_id' })
  operationId!: OperationId;

  @Column('text')
  agent!: Principal;
}
