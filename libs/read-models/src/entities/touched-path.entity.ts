import type { LogicalOperationId, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A path that a failure was about: the log finds failures by path as it finds what was applied. */
@Entity('touched_path', { withoutRowid: true })
@Index('touched_path_by_logical_operation', ['logicalOperationId', 'workspace'])
export class TouchedPathEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text', { name: 'path_key' })
  pathKey!: string;

  @PrimaryColumn('text', { name: 'logical_operation_id' })
  logicalOperationId!: LogicalOperationId;

  /** Empty where it is not known. */
  @PrimaryColumn('text')
  action!: string;

  @Column('text')
  path!: string;
}
