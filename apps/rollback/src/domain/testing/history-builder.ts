import { createHash } from 'node:crypto';
import {
  ABSENT,
  LogicalOperationIdSchema,
  type OperationId,
  OperationIdSchema,
  type PathState,
  PathStateSchema,
  PrincipalSchema,
  type RestoreStep,
  SessionIdSchema,
  WorkspaceNameSchema,
  type WorkspacePath,
  WorkspacePathSchema,
} from '@retrace/contracts';
import type { IndexedOperation } from '../operation-index.js';
import type { PlanContext } from '../planner.js';

const uuid = (number: number): string => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
const TEXTS = new Map<string, string>();
/** Not a hash, but different for texts that are. */
function hash(text: string): string {
  const hex = Buffer.from(text).toString('hex').padEnd(64, '0');
  const name = hex.length === 64 ? hex : createHash('sha256').update(text).digest('hex');
  TEXTS.set(name, text);
  return name;
}

export const opId = (number: number) => OperationIdSchema.parse(`op_${uuid(number)}`);
export const lopId = (number: number) => LogicalOperationIdSchema.parse(`lop_${uuid(number)}`);
/** The session of an agent: each has one. */
export const sessionOf = (agent: string) =>
  SessionIdSchema.parse(`ses_${uuid(Number.parseInt(hash(agent).slice(0, 8), 16))}`);
export const pathOf = (text: string): WorkspacePath => WorkspacePathSchema.parse(text);

/** A file holding this text. */
export const file = (text: string, mode = 0o644): PathState =>
  PathStateSchema.parse({ kind: 'file', hash: hash(text), size: text.length, mode });
/** The text of a file made by {@link file}. */
export const textOf = (state: { readonly hash: string }): string => TEXTS.get(state.hash)!;
export const directory: PathState = { kind: 'directory', mode: 0o755 };
export { ABSENT as absent };

export const context: PlanContext = {
  workspace: WorkspaceNameSchema.parse('notes'),
  requestedBy: PrincipalSchema.parse('_op-me'),
  atSequence: 1000,
};

/** A step of a plan that only restores. */
export const stepOf = (
  path: string,
  expect: PathState,
  restore: PathState,
  ...compensates: OperationId[]
): RestoreStep => ({ path: pathOf(path), expect, restore, compensates, how: 'restore', keeps: [] });

export interface Change {
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
  readonly undoable?: boolean;
  readonly part_of?: OperationId;
  readonly moved_from?: string | undefined;
  readonly moved_to?: string | undefined;
}

type Who = Pick<IndexedOperation, 'kind' | 'compensates'>;

/** Both records of a move of a file or link, in the order in which they are recorded. */
export const moved = (from: string, to: string, object: PathState, over: PathState = ABSENT): Change[] => [
  { path: to, before: over, after: object, moved_from: from },
  { path: from, before: object, after: ABSENT, moved_to: to },
];

/** Writes a history down, one logical operation after another; numbers of ids count from 1. */
export class HistoryBuilder {
  readonly operations: IndexedOperation[] = [];
  private sequence = 0;

  /** Adds a logical operation and answers its id. */
  applied(agent: string, ...changes: readonly Change[]) {
    const logical_operation_id = lopId(++this.sequence);
    for (const change of changes) this.add(agent, logical_operation_id, change, { kind: 'operation', compensates: [] });
    return logical_operation_id;
  }

  /** Adds a part to a logical operation that is open. */
  appliedMore(agent: string, logical_operation_id: ReturnType<typeof lopId>, ...changes: readonly Change[]): void {
    this.sequence++;
    for (const change of changes) this.add(agent, logical_operation_id, change, { kind: 'operation', compensates: [] });
  }

  /** Adds the logical operation that a plan comes to, and answers its id. */
  rolledBack(agent: string, { steps }: { readonly steps: readonly RestoreStep[] }) {
    const logical_operation_id = lopId(++this.sequence);
    for (const { path, expect, restore, compensates, moves_from, moves_to } of steps) {
      const change = { path, before: expect, after: restore, moved_from: moves_from, moved_to: moves_to };
      this.add(agent, logical_operation_id, change, { kind: 'rollback', compensates });
    }
    return logical_operation_id;
  }

  private add(agent: string, logical_operation_id: ReturnType<typeof lopId>, change: Change, who: Who): void {
    const { path, before, after, undoable = true, part_of = null, moved_from, moved_to } = change;
    const last = this.operations.at(-1);
    this.operations.push({
      sequence: this.sequence,
      position: last?.sequence === this.sequence ? last.position + 1 : 0,
      operation_id: opId(this.operations.length + 1),
      logical_operation_id,
      session_id: sessionOf(agent),
      agent: PrincipalSchema.parse(agent),
      path: pathOf(path),
      before,
      after,
      undoable,
      part_of,
      moved_from: moved_from === undefined ? null : pathOf(moved_from),
      moved_to: moved_to === undefined ? null : pathOf(moved_to),
      time: this.sequence * 1000,
      ...who,
    });
  }
}
