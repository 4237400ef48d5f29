import type {
  LogicalOperationId,
  OperationApplied,
  OperationId,
  PathState,
  Principal,
  SessionId,
  StoredEvent,
  WorkspacePath,
} from '@retrace/contracts';

/** One applied operation, as far as its undo needs it. */
export interface IndexedOperation {
  /** Of the event that holds it: the same for all operations of one event. */
  readonly sequence: number;
  /** Its place in that event, from 0. */
  readonly position: number;
  readonly operation_id: OperationId;
  readonly logical_operation_id: LogicalOperationId;
  readonly kind: 'operation' | 'rollback';
  readonly session_id: SessionId | null;
  readonly agent: Principal;
  readonly path: WorkspacePath;
  readonly before: PathState;
  readonly after: PathState;
  /** The operations that it took back; empty unless it is a compensation. */
  readonly compensates: readonly OperationId[];
  /** What its record promised: the pre-image was kept. */
  readonly undoable: boolean;
  /** The asked operation whose part it is. */
  readonly part_of: OperationId | null;
  /** The other end of a move: whence the object came to `path`. */
  readonly moved_from: WorkspacePath | null;
  /** The other end of a move: whither the object at `path` went. */
  readonly moved_to: WorkspacePath | null;
  /** When its event was published, ms since 1970. */
  readonly time: number;
}

/** Taking it back removes a folder. */
export const makesFolder = ({ before, after }: IndexedOperation): boolean =>
  after.kind === 'directory' && before.kind !== 'directory';

/** The rows of one event, in the order in which they were applied. */
export function operationsOf({ sequence, data, time }: StoredEvent<typeof OperationApplied>): IndexedOperation[] {
  return data.operations.map((record, position) => ({
    sequence,
    position,
    operation_id: record.operation_id,
    // The event's own: whose part it is must not depend on what a record repeats.
    logical_operation_id: data.logical_operation_id,
    kind: data.kind,
    session_id: data.session_id,
    agent: record.agent_id,
    path: record.rollback_instruction.path,
    before: record.rollback_instruction.restore,
    after: record.rollback_instruction.expect,
    compensates: record.compensates,
    undoable: record.undo_coverage.undoable,
    part_of: record.part_of,
    moved_from: record.moved_from,
    moved_to: record.moved_to,
    time: Date.parse(time),
  }));
}

const byPlace = (a: IndexedOperation, b: IndexedOperation): number =>
  a.sequence - b.sequence || a.position - b.position;

/** The order in which things happened, whatever order they were read in. */
export const inOrder = (operations: readonly IndexedOperation[]): IndexedOperation[] => operations.toSorted(byPlace);
