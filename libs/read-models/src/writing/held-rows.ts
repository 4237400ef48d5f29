import type { ObjectLiteral } from 'typeorm';
import { inSteps } from './in-steps.js';
import type { Statements } from './statements.js';
import type { TableSql } from './table-sql.js';

interface Slot<E> {
  /** Values of the primary key, as they are stored. */
  readonly key: readonly unknown[];
  row: E | undefined;
  /** Whether the table has a row with this key; `undefined`: nobody looked. */
  there: boolean | undefined;
  /** Whether the table is to be changed to what `row` says. */
  changed: boolean;
}

/** Keys per question: one text each, however long. */
const KEYS = 1024;

/**
 * Rows of one table that a transaction looked at or changes, by primary key: each is read once and written once, whatever
 * becomes of it in between. {@link HeldRows.flush} writes.
 */
export class HeldRows<E extends ObjectLiteral> {
  private readonly slots = new Map<string, Slot<E>>();

  constructor(
    private readonly table: TableSql,
    private readonly statements: Statements,
  ) {}

  /** Looks for many rows at once; none is looked for again. */
  async fetch(keys: readonly Partial<E>[]): Promise<void> {
    const missing = new Map<string, Slot<E>>();
    for (const key of keys) {
      const values = this.table.keyValues(key);
      const name = nameOf(values);
      const known = this.slots.get(name);
      if (known === undefined || known.there === undefined)
        missing.set(name, known ?? { key: values, row: undefined, there: undefined, changed: false });
    }
    const slots = [...missing];
    for (let at = 0; at < slots.length; at += KEYS) await this.look(slots.slice(at, at + KEYS));
  }

  async one(key: Partial<E>): Promise<E | undefined> {
    const name = nameOf(this.table.keyValues(key));
    const known = this.slots.get(name);
    if (known && (known.changed || known.there !== undefined)) return known.row;
    await this.fetch([key]);
    return this.slots.get(name)!.row;
  }

  put(row: E): void {
    const storable = this.table.storable(row);
    const slot = this.slot(storable);
    slot.row = storable;
    slot.changed = true;
  }

  remove(key: Partial<E>): void {
    const slot = this.slot(key);
    slot.row = undefined;
    slot.changed = slot.there !== false;
  }

  /** Takes in rows whose keys are new; answers how many. */
  async add(rows: readonly E[]): Promise<number> {
    await this.fetch(rows);
    let added = 0;
    for (const row of rows)
      if (this.slot(row).row === undefined) {
        this.put(row);
        added++;
      }
    return added;
  }

  /** Writes what was changed. */
  async flush(): Promise<void> {
    const changed = [...this.slots.values()].filter((slot) => slot.changed);
    if (changed.length === 0) return;
    await inSteps(
      changed.filter(({ row }) => row !== undefined),
      async (some) => {
        const values = some.flatMap(({ row }) => this.table.values(row!));
        await this.statements.run(this.table.insert(some.length), values);
      },
    );
    const gone = changed.filter(({ row }) => row === undefined).map(({ key }) => key);
    if (gone.length > 0) await this.statements.run(this.table.removeEach(), [JSON.stringify(gone)]);
    for (const slot of changed) {
      slot.there = slot.row !== undefined;
      slot.changed = false;
    }
  }

  /** Forgets what it knows: the table was changed past it. Nothing MUST be left to write. */
  forget(): void {
    this.slots.clear();
  }

  private async look(slots: readonly (readonly [string, Slot<E>])[]): Promise<void> {
    const wanted = JSON.stringify(slots.map(([, { key }]) => key));
    const found = new Map<string, E>();
    for (const raw of await this.statements.all(this.table.fetch(), [wanted])) {
      const row = this.table.entity<E>(raw);
      found.set(nameOf(this.table.keyValues(row)), row);
    }
    for (const [name, slot] of slots) {
      const row = found.get(name);
      slot.there = row !== undefined;
      if (!slot.changed) slot.row = row;
      this.slots.set(name, slot);
    }
  }

  private slot(key: Partial<E>): Slot<E> {
    const values = this.table.keyValues(key);
    const name = nameOf(values);
    const slot = this.slots.get(name) ?? { key: values, row: undefined, there: undefined, changed: false };
    this.slots.set(name, slot);
    return slot;
  }
}

/** Stored values hold no NUL. */
const nameOf = (key: readonly unknown[]): string => (key.length === 1 ? String(key[0]) : key.join('\0'));
