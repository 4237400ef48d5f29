import { partitionOf } from '@retrace/contracts';
import type { Change, RowKey, Table, Tables } from '../domain/rows.js';

interface Entry {
  readonly sequence: number;
  readonly value: unknown;
}

/** Rows of events that stand in the log and are not folded into the store yet. */
export class Overlay {
  private readonly lanes = new Map<string, Map<string, Entry>>();

  /** The row as it will be; `undefined`: the store's row holds. */
  find<T extends Table>(table: T, key: RowKey): { readonly value: Tables[T] | undefined } | undefined {
    const entry = this.lanes.get(laneOf(key))?.get(text(table, key));
    return entry && { value: entry.value as Tables[T] | undefined };
  }

  put(sequence: number, changes: readonly Change[]): void {
    for (const { table, key, value } of changes) {
      const lane = laneOf(key);
      const entries = this.lanes.get(lane) ?? new Map<string, Entry>();
      this.lanes.set(lane, entries);
      const id = text(table, key);
      // Last in the map, so that `folded` finds the oldest first.
      entries.delete(id);
      entries.set(id, { sequence, value });
    }
  }

  /** The store has everything up to a sequence. */
  folded(lane: string, sequence: number): void {
    const entries = this.lanes.get(lane);
    if (!entries) return;
    for (const [id, entry] of entries) if (entry.sequence <= sequence) entries.delete(id);
    if (entries.size === 0) this.lanes.delete(lane);
  }

  forget(lane: string): void {
    this.lanes.delete(lane);
  }
}

const laneOf = (key: RowKey): string => String(partitionOf(key[0]));
const text = (table: Table, key: RowKey): string => JSON.stringify([table, ...key]);
