import { setTimeout as sleep } from 'node:timers/promises';
import { type BlobHash, isOperator, type OperationApplied, type Principal, type StoredEvent } from '@retrace/contracts';
import { LmdbPositions, openEnvironment, type Position } from '@retrace/event-log';
import type { Database, RootDatabase } from 'lmdb';

/** The lane is this far behind at most, in practice: whoever asks for what it has just written is not sent away. */
const WAIT_MS = 1_000;
const STEP_MS = 20;

/**
 * What the log says of who had to do with which content: before or after its own operation it stood at a path. Agents
 * look at their own history with it; nothing can be told to the store here but by an event of the log.
 */
export class SeenContents {
  private closed = false;

  private constructor(
    private readonly root: RootDatabase,
    private readonly rows: Database<true, [principal: string, hash: string]>,
    readonly positions: LmdbPositions,
    private readonly waitMs: number,
  ) {}

  static open(folder: string, durability: 'process' | 'power', waitMs: number = WAIT_MS): SeenContents {
    const root = openEnvironment(folder, 'seen', durability);
    return new SeenContents(
      root,
      root.openDB({ name: 'seen' }),
      new LmdbPositions(root.openDB({ name: 'positions' })),
      waitMs,
    );
  }

  /** Whether a content is one of the principal's history; waits a moment for an operation that was just done. */
  async has(principal: Principal, hash: BlobHash): Promise<boolean> {
    const deadline = performance.now() + this.waitMs;
    while (!this.closed) {
      if (this.rows.doesExist([principal, hash])) return true;
      if (performance.now() >= deadline) return false;
      await sleep(STEP_MS);
    }
    return false;
  }

  /** Rows and position are one transaction. Operators read everything: nothing is kept for them. */
  fold({ agent, data }: StoredEvent<typeof OperationApplied>, lane: string, position: Position): void {
    const hashes = isOperator(agent) ? [] : data.operations.flatMap(hashesOf);
    this.root.transactionSync(() => {
      for (const hash of new Set(hashes)) void this.rows.put([agent, hash], true);
      this.positions.advance(lane, position);
    });
  }

  pass(lane: string, position: Position): void {
    this.root.transactionSync(() => this.positions.advance(lane, position));
  }

  /** What the log lost was done all the same: its rows stay. */
  rewind(lane: string, to: Position | undefined): void {
    this.root.transactionSync(() => this.positions.rewind(lane, to));
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.root.close();
  }
}

type Operation = StoredEvent<typeof OperationApplied>['data']['operations'][number];

const hashesOf = ({ state_snapshot_before, state_snapshot_after }: Operation): BlobHash[] =>
  [state_snapshot_before, state_snapshot_after].flatMap(({ state }) => (state.kind === 'file' ? [state.hash] : []));
