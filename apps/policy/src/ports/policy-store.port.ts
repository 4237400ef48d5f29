import type { Position, PositionStore } from '@retrace/event-log';
import type { Change, RowKey, RowReader, Table, Tables } from '../domain/rows.js';

export interface LoadedPositions extends PositionStore {
  load(lane: string): Position | undefined;
}

/** Policy's own store: rows folded from the log, and how far each lane is folded. Only the log's lanes write it. */
export abstract class PolicyStore implements RowReader {
  abstract readonly positions: LoadedPositions;
  abstract get<T extends Table>(table: T, key: RowKey): Tables[T] | undefined;
  /** Every row of a table, of one lane or of all. */
  abstract list<T extends Table>(table: T, lane?: string): Iterable<readonly [key: RowKey, value: Tables[T]]>;
  /** Effect and position in one transaction, a moment later; reads see them at once. */
  abstract commit(lane: string, position: Position, changes: readonly Change[]): void;
  /** Forgets what was folded from a lane, position included. */
  abstract forget(lane: string): void;
  abstract close(): Promise<void>;
}
