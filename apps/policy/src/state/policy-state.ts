import { type LogicalOperationId, partitionOf, type WorkspaceName } from '@retrace/contracts';
import type { Position } from '@retrace/event-log';
import { failpoint } from '@retrace/platform/failpoint';
import { type FoldedEvent, foldEvent } from '../domain/fold-event.js';
import type {
  Change,
  InflightOperation,
  LogicalOperationRow,
  RowKey,
  RowReader,
  StaleRow,
  Table,
  Tables,
} from '../domain/rows.js';
import type { PolicyStore } from '../ports/policy-store.port.js';
import type { Reach } from '../domain/decision-input.js';
import { Endings } from './endings.js';
import { InflightIndex } from './inflight-index.js';
import { Overlay } from './overlay.js';

interface Waiter {
  readonly sequence: number;
  readonly resolve: () => void;
}

/** What policy knows now: the store, and over it what it has published itself and the log's lane has not brought yet. */
export class PolicyState implements RowReader {
  private readonly overlay = new Overlay();
  private readonly inflight = new InflightIndex();
  private readonly endings = new Endings();
  private readonly waiters = new Map<string, Set<Waiter>>();

  constructor(private readonly store: PolicyStore) {
    for (const [key, row] of store.list('inflight')) this.inflight.put(key[0], holderOf(key), row);
  }

  get<T extends Table>(table: T, key: RowKey): Tables[T] | undefined {
    const over = this.overlay.find(table, key);
    return over ? over.value : this.store.get(table, key);
  }

  newestInflight(workspace: string, path: string): InflightOperation | undefined {
    return this.inflight.newest(workspace, path);
  }

  /** Resolves once no work in flight may change what is found there; `false`: the signal came first. */
  quiet(workspace: WorkspaceName, reaches: readonly Reach[], signal: AbortSignal): Promise<boolean> {
    const done = (): boolean => !reaches.some((reach) => this.inflight.reaches(workspace, reach));
    return this.endings.until(workspace, done, signal);
  }

  /** Resolves once every part of a logical operation has its outcome; `false`: the signal came first. */
  outcomes(workspace: WorkspaceName, id: LogicalOperationId, signal: AbortSignal): Promise<boolean> {
    const done = (): boolean => {
      const row = this.get('logical_operation', [workspace, id]);
      return row?.status !== 'open' || row.pending === 0;
    };
    return this.endings.until(workspace, done, signal);
  }

  *openOperations(): Iterable<{
    readonly workspace: WorkspaceName;
    readonly id: LogicalOperationId;
    readonly row: LogicalOperationRow;
  }> {
    // Sessions name theirs: there is a row for every logical operation that ever was.
    for (const [[name], { open = [] }] of this.store.list('session'))
      for (const id of open) {
        const workspace = name as WorkspaceName;
        const row = this.get('logical_operation', [workspace, id]);
        if (row) yield { workspace, id, row };
      }
  }

  /** Intents sent back whose next attempt is not decided. */
  *staleIntents(): Iterable<{ readonly workspace: WorkspaceName; readonly row: StaleRow }> {
    for (const [[workspace], row] of this.store.list('stale')) yield { workspace: workspace as WorkspaceName, row };
  }

  /** Takes in an event that was just published; the lane may have been faster. */
  published(event: FoldedEvent): void {
    if (this.foldedTo(laneOf(event)) >= event.sequence) return;
    const changes = foldEvent(event, this);
    // Looked up before the rows change: what is removed is gone afterwards.
    this.reindex(changes, this);
    this.overlay.put(event.sequence, changes);
    this.tell(changes);
  }

  /** Folds an event of the log into the store, with its position, and answers what it changed. */
  fold(event: FoldedEvent, lane: string, position: Position): readonly Change[] {
    if (this.foldedTo(lane) >= position.sequence) return [];
    const changes = foldEvent(event, this.store);
    // Looked up before the commit: what is removed is gone afterwards.
    this.reindex(changes, this.store);
    failpoint('policy-fold.before-commit');
    this.commit(lane, position, changes);
    this.tell(changes);
    return changes;
  }

  /** Passes an event by that cannot be read. */
  skip(lane: string, position: Position): void {
    this.commit(lane, position, []);
  }

  /** Forgets what a lane brought: it is folded again from the start of the log. */
  forget(lane: string): void {
    const forgotten = [...this.store.list('inflight', lane)];
    for (const [key, row] of forgotten) this.inflight.remove(key[0], holderOf(key), row);
    this.overlay.forget(lane);
    this.store.forget(lane);
    for (const [[workspace]] of forgotten) this.endings.happened(workspace);
  }

  position(lane: string): Position | undefined {
    return this.store.positions.load(lane);
  }

  foldedTo(lane: string): number {
    return this.position(lane)?.sequence ?? 0;
  }

  /** Resolves once a lane is folded up to a sequence; `signal` ends the wait with its reason. */
  async folded(lane: string, sequence: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.foldedTo(lane) >= sequence) return;
    const waiters = this.waiters.get(lane) ?? new Set<Waiter>();
    this.waiters.set(lane, waiters);
    await new Promise<void>((resolve, reject) => {
      const give = (): void => {
        waiters.delete(waiter);
        reject(signal?.reason as Error);
      };
      const done = (): void => {
        signal?.removeEventListener('abort', give);
        resolve();
      };
      const waiter: Waiter = { sequence, resolve: done };
      waiters.add(waiter);
      signal?.addEventListener('abort', give);
    });
  }

  private commit(lane: string, position: Position, changes: readonly Change[]): void {
    this.store.commit(lane, position, changes);
    this.overlay.folded(lane, position.sequence);
    const waiters = this.waiters.get(lane) ?? new Set<Waiter>();
    for (const waiter of waiters) if (waiter.sequence <= position.sequence && waiters.delete(waiter)) waiter.resolve();
  }

  private reindex(changes: readonly Change[], before: RowReader): void {
    for (const { table, key, value } of changes) {
      if (table !== 'inflight') continue;
      const old = before.get('inflight', key);
      if (value) this.inflight.put(key[0], holderOf(key), value);
      else if (old) this.inflight.remove(key[0], holderOf(key), old);
    }
  }

  private tell(changes: readonly Change[]): void {
    const ended = changes.find(({ table, value }) => table === 'logical_operation' || (table === 'inflight' && !value));
    if (ended) this.endings.happened(ended.key[0]);
  }
}

const laneOf = ({ workspace }: FoldedEvent): string => String(partitionOf(workspace));
const holderOf = ([, ...parts]: RowKey): string => parts.join(' ');
