import type { LogicalOperationId, OperationId, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An asked operation as its authority describes it. */
export interface PlannedOperation {
  readonly operation_id: OperationId;
  readonly action: string;
  readonly path: string;
  readonly from: string | null;
  /** Paths that it was to change. */
  readonly paths: number;
}

/**
 * What the authority for one part of a logical operation asked for: all that is known of the operations of a failure.
 * It goes when the part is applied.
 */
@Entity('planned_part', { withoutRowid: true })
export class PlannedPartEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text', { name: 'logical_operation_id' })
  logicalOperationId!: LogicalOperationId;

  @PrimaryColumn('integer')
  part!: number;

  /** The first of the asked ones: as many as a line of the log names. */
  @Column('simple-json')
  operations!: readonly PlannedOperation[];

  @Column('integer', { name: 'operation_count' })
  operationCount!: number;

  @Column('integer', { name: 'path_count' })
  pathCount!: number;

  /** Every path that was to change, and the action there. */
  @Column('simple-json')
  paths!: readonly (readonly [path: string, action: string])[];
}
