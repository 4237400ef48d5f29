import type { LogicalOperationId, WorkspaceName } from '@retrace/contracts';
import type { LogicalOperationRow, OpenedRow } from '../domain/rows.js';

/** Milliseconds since 1970. */
export type Now = () => number;
type OnPassed = (workspace: WorkspaceName, id: LogicalOperationId, row: OpenedRow) => void;

/** A try that came to nothing is made again. */
const AGAIN_MS = 30_000;

/** Tells when an open logical operation is over its time, and again until it is ended. */
export class Deadlines {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private closed = false;

  constructor(
    private readonly rowOf: (workspace: WorkspaceName, id: LogicalOperationId) => LogicalOperationRow | undefined,
    private readonly onPassed: OnPassed,
    private readonly now: Now = Date.now,
  ) {}

  /** The row is what it is now: from here on its deadline is watched, or no longer. */
  watch(workspace: WorkspaceName, id: LogicalOperationId, row: LogicalOperationRow | undefined): void {
    const key = `${workspace} ${id}`;
    clearTimeout(this.timers.get(key));
    this.timers.delete(key);
    if (row?.status === 'open') this.arm(key, workspace, id, Math.max(0, row.deadline - this.now()));
  }

  close(): void {
    this.closed = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  private arm(key: string, workspace: WorkspaceName, id: LogicalOperationId, ms: number): void {
    if (this.closed) return;
    const timer = setTimeout(() => this.look(key, workspace, id), ms).unref();
    this.timers.set(key, timer);
  }

  private look(key: string, workspace: WorkspaceName, id: LogicalOperationId): void {
    this.timers.delete(key);
    const row = this.rowOf(workspace, id);
    if (row?.status !== 'open') return;
    const late = this.now() - row.deadline;
    if (late >= 0) this.onPassed(workspace, id, row);
    this.arm(key, workspace, id, late >= 0 ? AGAIN_MS : -late);
  }
}
