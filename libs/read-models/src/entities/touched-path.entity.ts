import type { LogicalOperationId, WorkspaceName } from '@retrace/contracts';
import { Entity, PrimaryColumn } from 'typeorm';

/** Which logical operations, applied or failed, were about a path: the log's path filter. */
@Entity('touched_path')
export class TouchedPathEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text')
  path!: string;

  @PrimaryColumn('text', { name: 'logical_operation_id' })
  logicalOperationId!: LogicalOperationId;
}
