import {
  ABSENT,
  LogicalOperationIdSchema,
  OperationIdSchema,
  type PathState,
  PathStateSchema,
  PrincipalSchema,
  type RollbackPlan,
  SessionIdSchema,
  WorkspaceNameSchema,
  WorkspacePathSchema,
} from '@retrace/contracts';
import type { IndexedOperation } from '../operation-index.js';
import type { PlanContext } from '../planner.js';

const uuid = (number: number): string => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
/** Not a hash, but different for short texts that are. */
const hash = (text: string): string => Buffer.from(text).toString('hex').padEnd(64, '0').slice(0, 64);

export const opId = (number: number) => OperationIdSchema.parse(`op_${uuid(number)}`);
export const lopId = (number: number) => LogicalOperationIdSchema.parse(`lop_${uuid(number)}`);
/** The session of an agent: each has one. */
export const sessionOf = (agent: string) =>
  SessionIdSchema.parse(`ses_${uuid(Number.parseInt(hash(agent).slice(0, 8), 16))}`);

/** A file holding this text. */
export const file = (text: string, mode = 0o644): PathState =>
  PathStateSchema.parse({ kind: 'file', hash: hash(text), size: text.length, mode });
export const directory: PathState = { kind: 'directory', mode: 0o755 };
export { ABSENT as absent };

export const context: PlanContext = {
  workspace: WorkspaceNameSchema.parse('notes'),
  requestedBy: PrincipalSchema.parse('_op-me'),
  atSequence: 1000,
};

export interface Change {
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
  readonly undoable?: boolean;
}

/** Writes a history down, one logical operation after another; numbers of ids count from 1. */
export class HistoryBuilder {
  readonly operations: IndexedOperation[] = [];
  private sequence = 0;

  /** Adds a logical operation and answers its id. */
  applied(agent: string, ...changes: readonly Change[]) {
    const logical_operation_id = lopId(++this.sequence);
    for (const [position, { path, before, after, undoable = true }] of changes.entries())
      this.operations.push({
        sequence: this.sequence,
        position,
        operation_id: opId(this.operations.length + 1),
        logical_operation_id,
        kind: 'operation',
        session_id: sessionOf(agent),
        agent: PrincipalSchema.parse(agent),
        path: WorkspacePathSchema.parse(path),
        before,
        after,
        compensates: [],
        undoable,
      });
    return logical_operation_id;
  }

  /** Adds the logical operation that a plan comes to, and answers its id. */
  rolledBack(agent: string, { steps }: Pick<RollbackPlan, 'steps'>) {
    const logical_operation_id = lopId(++this.sequence);
    for (const [position, { path, expect, restore, compensates }] of steps.entries())
      this.operations.push({
        sequence: this.sequence,
        position,
        operation_id: opId(this.operations.length + 1),
        logical_operation_id,
        kind: 'rollback',
        session_id: sessionOf(agent),
        agent: PrincipalSchema.parse(agent),
        path,
        before: expect,
        after: restore,
        compensates,
        undoable: true,
      });
    return logical_operation_id;
  }
}
