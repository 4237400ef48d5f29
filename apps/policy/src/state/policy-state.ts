import { partitionOf, type WorkspaceName } from '@retrace/contracts';
import type { Position } from '@retrace/event-log';
import { type FoldedEvent, foldEvent } from '../domain/fold-event.js';
import type { Change, InflightOperation, RowKey, RowReader, StaleRow, Table, Tables } from '../domain/rows.js';
import type { PolicyStore } from '../ports/policy-store.port.js';
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
  private readonly waiters = new Map<string, Set<Waiter>>();

  constructor(private readonly store: PolicyStore) {
    for (const [[workspace, operation], row] of store.list('inflight'))
      this.inflight.put(workspace, String(operation), row);
  }

  get<T extends Table>(table: T, key: RowKey): Tables[T] | undefined {
    const over = this.overlay.find(table, key);
    return over ? over.value : this.store.get(table, key);
  }

  newestInflight(workspace: string, path: string): InflightOperation | undefined {
    return this.inflight.newest(workspace, path);
  }

  /** Intents sent back whose next attempt is not decided. */
  *staleIntents(): Iterable<{ readonly workspace: WorkspaceName; readonly row: StaleRow }> {
    for (const [[workspace], row] of this.store.list('stale')) yield { workspace: workspace as WorkspaceName, row };
  }

  /** Takes in an event that was just published; the lane may have been faster. */
  published(event: FoldedEvent): void {
    if (this.foldedTo(laneOf(event)) >= event.sequence) return;
    const changes = foldEvent(event, this);
    this.overlay.put(event.sequence, changes);
    this.reindex(changes, this);
  }

  /** Folds an event of the log into the store, with its position, and answers what it changed. */
  fold(event: FoldedEvent, lane: string, position: Position): readonly Change[] {
    if (this.foldedTo(lane) >= position.sequence) return [];
    const changes = foldEvent(event, this.store);
    // Looked up before the commit: what is removed is gone afterwards.
    this.reindex(changes, this.store);
    this.commit(lane, position, changes);
    return changes;
  }

  /** Passes an event by that cannot be read. */
  skip(lane: string, position: Position): void {
    this.commit(lane, position, []);
  }

  /** Forgets what a lane brought: it is folded again from the start of the log. */
  forget(lane: string): void {
    for (const [[workspace, operation], row] of this.store.list('inflight', lane))
      this.inflight.remove(workspace, String(operation), row);
    this.overlay.forget(lane);
    this.store.forget(lane);
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
      const [workspace, operation] = key;
      const old = before.get('inflight', key);
      if (value) this.inflight.put(workspace, String(operation), value);
      else if (old) this.inflight.remove(workspace, String(operation), old);
    }
  }
}

const laneOf = ({ workspace }: FoldedEvent): string => String(partitionOf(workspace));
