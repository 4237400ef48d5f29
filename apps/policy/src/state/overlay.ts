import { partitionOf } from '@retrace/contracts';
import { type Change, nameOf, type RowKey, type Table, type Tables } from '../domain/rows.js';

interface Entry {
  readonly sequence: number;
  readonly value: unknown;
}

interface Lane {
  readonly entries: Map<string, Entry>;
  newest: number;
  /** The oldest comes first: what several queues publish is nearly always put in the order of the log. */
  inOrder: boolean;
}

/** Rows of events that stand in the log and are not folded into the store yet. */
export class Overlay {
  private readonly lanes = new Map<string, Lane>();

  /** The row as it will be; `undefined`: the store's row holds. */
  find<T extends Table>(table: T, key: RowKey): { readonly value: Tables[T] | undefined } | undefined {
    const entry = this.lanes.get(laneOf(key))?.entries.get(nameOf(table, key));
    return entry && { value: entry.value as Tables[T] | undefined };
  }

  put(sequence: number, changes: readonly Change[]): void {
    for (const { table, key, value } of changes) {
      const lane = this.laneFor(laneOf(key));
      lane.inOrder &&= sequence >= lane.newest;
      lane.newest = Math.max(lane.newest, sequence);
      const id = nameOf(table, key);
      // Last in the map, so that `folded` finds the oldest first.
      lane.entries.delete(id);
      lane.entries.set(id, { sequence, value });
    }
  }

  /** The store has everything up to a sequence. */
  folded(name: string, sequence: number): void {
    const lane = this.lanes.get(name);
    if (!lane) return;
    for (const [id, entry] of lane.entries)
      if (entry.sequence <= sequence) lane.entries.delete(id);
      else if (lane.inOrder) return;
    if (lane.entries.size === 0) this.lanes.delete(name);
  }

  private laneFor(name: string): Lane {
    const lane = this.lanes.get(name) ?? { entries: new Map<string, Entry>(), newest: 0, inOrder: true };
    this.lanes.set(name, lane);
    return lane;
  }

  forget(lane: string): void {
    this.lanes.delete(lane);
  }
}

const laneOf = (key: RowKey): string => String(partitionOf(key[0]));
