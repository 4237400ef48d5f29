import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EventId, NOBODY, type PathState, type WorkspaceName } from '@retrace/contracts';
import { LmdbPositions, openEnvironment, type Position } from '@retrace/event-log';
import { GroupCommit } from '@retrace/platform/group-commit';
import type { Database, RootDatabase } from 'lmdb';
import type { Recorded } from '../domain/recorded.js';
import type { DoneRecord, JournalRecord, PreparedRecord } from './journal-record.js';

export interface WorkspaceRow {
  readonly name: WorkspaceName;
  readonly root: string;
  /** Grows with each opening. */
  readonly epoch: number;
}

export interface PolicyRow {
  readonly version: number;
  readonly yaml: string;
}

export interface BaselineRow {
  readonly path: string;
  readonly state: PathState;
}

/** How one logical operation ended. `position`: of one that was never prepared. */
export interface End {
  readonly record: DoneRecord;
  readonly recorded?: ReadonlyMap<string, Recorded>;
  readonly position?: Position | undefined;
}

type WorkspaceKey = [workspace: string, key: string | number];

/** LMDB keys hold at most 1,978 bytes. */
const LONGEST_KEY = 1000;
const pathKey = (path: string): string =>
  Buffer.byteLength(path) <= LONGEST_KEY ? path : `#${createHash('sha256').update(path).digest('hex')}`;

/** Authorities further back than this are not told twice by a rewind. */
const HANDLED_WINDOW = 200_000;
const PRUNE_SLICE = 1000;

/**
 * Execution's own store: the journal, what was recorded per path, which authorities were handled, and positions.
 * One process owns the environment. Everything that belongs together is one transaction.
 */
export class ExecutionStore {
  private readonly group: GroupCommit;

  private constructor(
    private readonly root: RootDatabase,
    private readonly journal: Database<JournalRecord, WorkspaceKey>,
    private readonly recordedRows: Database<Recorded, WorkspaceKey>,
    private readonly handled: Database<number, WorkspaceKey>,
    private readonly workspaces: Database<WorkspaceRow, string>,
    private readonly policies: Database<PolicyRow, string>,
    private readonly members: Database<true, WorkspaceKey>,
    readonly positions: LmdbPositions,
  ) {
    this.group = new GroupCommit((work) => this.root.transactionSync(work));
  }

  static open(folder: string, durability: 'process' | 'power'): ExecutionStore {
    const root = openEnvironment(folder, 'journal', durability);
    return new ExecutionStore(
      root,
      root.openDB({ name: 'journal' }),
      root.openDB({ name: 'recorded' }),
      root.openDB({ name: 'handled' }),
      root.openDB({ name: 'workspaces' }),
      root.openDB({ name: 'policies' }),
      root.openDB({ name: 'members' }),
      new LmdbPositions(root.openDB({ name: 'positions' })),
    );
  }

  isHandled(workspace: WorkspaceName, eventId: string): boolean {
    return this.handled.doesExist([workspace, eventId]);
  }

  recorded(workspace: WorkspaceName, path: string): Recorded | undefined {
    return this.recordedRows.get([workspace, pathKey(path)]);
  }

  /** The journal of a workspace in the order of authority. */
  records(workspace: WorkspaceName): JournalRecord[] {
    const range = { start: [workspace, 0] as WorkspaceKey, end: [workspace, Number.MAX_SAFE_INTEGER] as WorkspaceKey };
    return [...this.journal.getRange(range)].map(({ value }) => value);
  }

  /** The commit after which paths may be touched. Positions and records are one transaction; workspaces share it. */
  prepare(prepared: readonly { readonly record: PreparedRecord; readonly position: Position }[]): Promise<void> {
    return this.group.commit(() => {
      for (const { record, position } of prepared) {
        void this.journal.put([record.workspace, record.sequence], record);
        this.passed(record.workspace, record.eventId, record.sequence, undefined);
        if (position === prepared.at(-1)!.position) this.positions.advance(record.workspace, position);
      }
    });
  }

  /** All is on the disk or none: the outcomes are kept until the log has them. */
  finish(ends: readonly End[]): void {
    this.root.transactionSync(() => {
      for (const { record, recorded, position } of ends) {
        const { workspace } = record;
        void this.journal.put([workspace, record.sequence], record);
        for (const [path, row] of recorded ?? []) void this.recordedRows.put([workspace, pathKey(path)], row);
        // What was prepared has passed already.
        if (position) this.passed(workspace, record.eventId, record.sequence, position);
      }
    });
  }

  /** The log has the outcome: its paths learn their sequence. A later change of a path keeps its own. */
  async published(record: DoneRecord, sequence: number): Promise<void> {
    const { workspace, outcome } = record;
    if (outcome.type !== 'retrace.operation.applied.v1') return;
    const ours = new Set(outcome.data.operations.map((operation) => operation.operation_id));
    await this.group.commit(() => {
      for (const path of record.paths) {
        const row = this.recorded(workspace, path);
        if (row?.operationId && ours.has(row.operationId))
          void this.recordedRows.put([workspace, pathKey(path)], { ...row, sequence });
      }
    });
  }

  /**
   * Keeps what stood in the workspace when it was registered, as of the event at `sequence`. A path that an operation
   * has changed by now keeps what that left. One transaction: hand over some thousands of rows at a time.
   */
  recordBaseline(workspace: WorkspaceName, rows: readonly BaselineRow[], sequence: number): void {
    this.root.transactionSync(() => {
      for (const { path, state } of rows) {
        const key: WorkspaceKey = [workspace, pathKey(path)];
        if (this.recordedRows.doesExist(key)) continue;
        void this.recordedRows.put(key, { state, sequence, operationId: null, sessionId: null, agent: NOBODY });
      }
    });
  }

  /** The log has the outcome and the blob store every content: nothing rests on the record any more. */
  drop(record: DoneRecord): Promise<void> {
    return this.group.commit(() => void this.journal.remove([record.workspace, record.sequence]));
  }

  /** Passes an event by that changes nothing here. */
  passBy(workspace: WorkspaceName, position: Position): void {
    this.root.transactionSync(() => this.positions.advance(workspace, position));
  }

  /** A decision that lost or was refused: what comes later under the same id changes nothing. */
  markHandled(workspace: WorkspaceName, eventId: EventId, position: Position): void {
    this.root.transactionSync(() => this.passed(workspace, eventId, position.sequence, position));
  }

  rewind(workspace: string, to: Position | undefined): void {
    this.root.transactionSync(() => this.positions.rewind(workspace, to));
  }

  workspaceRows(): WorkspaceRow[] {
    return [...this.workspaces.getRange()].map(({ value }) => value);
  }

  workspace(name: string): WorkspaceRow | undefined {
    return this.workspaces.get(name);
  }

  /** Keeps a workspace under care; the lane begins behind the event that registered it. */
  addWorkspace(row: WorkspaceRow, position: Position): void {
    this.root.transactionSync(() => {
      void this.workspaces.put(row.name, row);
      this.positions.advance(row.name, position);
    });
  }

  /** Counts an opening, so that events tell executors of a workspace apart. */
  nextEpoch(name: WorkspaceName): number {
    return this.root.transactionSync(() => {
      const row = this.workspaces.get(name);
      if (!row) return 1;
      void this.workspaces.put(name, { ...row, epoch: row.epoch + 1 });
      return row.epoch + 1;
    });
  }

  policy(workspace: WorkspaceName): PolicyRow | undefined {
    return this.policies.get(workspace);
  }

  putPolicy(workspace: WorkspaceName, row: PolicyRow, position: Position): void {
    this.root.transactionSync(() => {
      void this.policies.put(workspace, row);
      this.positions.advance(workspace, position);
    });
  }

  isMember(workspace: WorkspaceName, principal: string): boolean {
    return this.members.doesExist([workspace, principal]);
  }

  addMember(workspace: WorkspaceName, principal: string, position: Position): void {
    this.root.transactionSync(() => {
      void this.members.put([workspace, principal], true);
      this.positions.advance(workspace, position);
    });
  }

  /** Forgets authorities that no reader will come across again; in slices, so that others are served meanwhile. */
  async prune(workspace: WorkspaceName, window = HANDLED_WINDOW): Promise<void> {
    const oldest = (this.positions.load(workspace)?.sequence ?? 0) - window;
    for (let after: WorkspaceKey | undefined = [workspace, '']; after;) {
      after = this.pruneSlice(workspace, after, oldest);
      await nextTurn();
    }
  }

  private pruneSlice(workspace: WorkspaceName, start: WorkspaceKey, oldest: number): WorkspaceKey | undefined {
    const range = { start, end: [workspace, '\uffff'] as WorkspaceKey, limit: PRUNE_SLICE };
    const slice = [...this.handled.getRange(range)];
    this.root.transactionSync(() => {
      for (const { key, value } of slice) if (value < oldest) void this.handled.remove(key);
    });
    return slice.length < PRUNE_SLICE ? undefined : slice.at(-1)!.key;
  }

  async close(): Promise<void> {
    this.group.flush();
    await this.root.close();
  }

  private passed(workspace: WorkspaceName, eventId: string, sequence: number, position: Position | undefined): void {
    void this.handled.put([workspace, eventId], sequence);
    if (position) this.positions.advance(workspace, position);
  }
}
