import { setTimeout as sleep } from 'node:timers/promises';
import { leaderGet } from '../newest-whole.js';
import { LogIds } from './log-ids.js';
import { type Bus, publishAgain, TAKEN } from './publish-again.js';
import type { Placed, RememberedEvent, TailNumber, Unplaced } from './remembered-event.js';

const LOOK_MS = 25;
/** Causes are looked for this far before the place where the log differs. */
const CAUSES_BEFORE = 10_000;

export interface RepairSettings {
  /** How long others are waited for that have not put theirs back, in ms, counted from the last change of the log. */
  readonly patienceMs: number;
  /** After how long without a change events go to the end that may never have reached the log. */
  readonly stillMs: number;
}

/** What is remembered, as a repair needs it. */
export interface TailMemory {
  get(number: TailNumber): RememberedEvent | undefined;
  /** Told where an event stands now. */
  placed(missing: Unplaced, event: RememberedEvent, sequence: number): void;
  /** Their places are lost for good: should this end midway, they are looked for anew. */
  unplace(missing: readonly Placed[]): Promise<void>;
}

/**
 * Puts lost events back. Several services do so at once, each with its own: while all of them remember all that was lost
 * the log comes to be what it was, because each event waits until the log ends where it stood and goes there. Where that
 * place has been given to another event, or nobody fills the one before, the rest goes to the end in its old order, each
 * event after the one that caused it.
 */
export class TailRepair {
  private last = 0;
  private changedAt = performance.now();
  private gaveUp = false;
  private readonly ids: LogIds;

  /** `from`: behind the last event that surely stands as it stood. */
  constructor(
    private readonly bus: Bus,
    from: number,
    private readonly memory: TailMemory,
    private readonly settings: RepairSettings,
    private readonly signal: AbortSignal,
  ) {
    this.ids = new LogIds(bus, from - CAUSES_BEFORE);
  }

  /** `placed`: in the order of their places. */
  async run(placed: readonly Placed[], unplaced: readonly Unplaced[]): Promise<void> {
    const rest = await this.putBack(placed);
    if (rest.length > 0) await this.memory.unplace(rest);
    for (const missing of rest) await this.toTheEnd(missing);
    if (unplaced.length === 0) return;
    await this.until(() => this.stillFor() > this.settings.stillMs);
    for (const missing of unplaced) await this.toTheEnd(missing);
  }

  /** Answers what has no place any more. */
  private async putBack(placed: readonly Placed[]): Promise<readonly Placed[]> {
    for (const [i, missing] of placed.entries()) if (!(await this.toItsPlace(missing))) return placed.slice(i);
    return [];
  }

  private async toItsPlace(missing: Placed): Promise<boolean> {
    const event = this.memory.get(missing.number);
    if (!event) return true;
    const { sequence } = missing;
    const before = sequence - event.messages.length;
    const reached = await this.until(() => this.last >= before);
    if (!reached) return false;
    if (this.last === before) {
      // Something else came in between where what caused it is not there.
      if (!(await this.hasCause(event))) return false;
      const at = await publishAgain(this.bus, event, before);
      if (at === sequence) return this.placed(missing, event, sequence);
    }
    await this.look();
    const there = await leaderGet(this.bus.jsm, this.bus.stream, { seq: sequence });
    return there?.header.get('ce-id') === event.id && this.placed(missing, event, sequence);
  }

  private async toTheEnd(missing: Unplaced): Promise<void> {
    const event = this.memory.get(missing.number);
    if (!event) return;
    const found = await this.until(async () => {
      const caused = await this.hasCause(event);
      await this.ids.readTo(this.last, this.signal);
      return this.gaveUp || this.stands(event.id) || caused;
    });
    // Waited for once: whoever should have put the cause back is not there.
    if (!found) this.gaveUp = true;
    const at = this.ids.placeOf(event.id) ?? (await publishAgain(this.bus, event));
    if (at !== TAKEN) this.placed(missing, event, at);
  }

  private async hasCause({ cause }: RememberedEvent): Promise<boolean> {
    if (cause === undefined || this.stands(cause)) return true;
    await this.ids.readTo(this.last, this.signal);
    return this.stands(cause);
  }

  private stands(id: string): boolean {
    return this.ids.placeOf(id) !== undefined;
  }

  private placed(missing: Unplaced, event: RememberedEvent, sequence: number): true {
    if (sequence > this.last) this.changed(sequence);
    this.memory.placed(missing, event, sequence);
    return true;
  }

  /** Answers whether it came to hold before the patience was over: then the log had not changed for long. */
  private async until(holds: () => boolean | Promise<boolean>): Promise<boolean> {
    for (;;) {
      if (await holds()) return true;
      await this.look();
      if (await holds()) return true;
      if (this.stillFor() > this.settings.patienceMs) return false;
      await sleep(LOOK_MS, undefined, { signal: this.signal });
    }
  }

  private async look(): Promise<void> {
    this.signal.throwIfAborted();
    const { last_seq } = (await this.bus.jsm.streams.info(this.bus.stream)).state;
    if (last_seq !== this.last) this.changed(last_seq);
  }

  private changed(last: number): void {
    this.last = last;
    this.changedAt = performance.now();
  }

  private stillFor(): number {
    return performance.now() - this.changedAt;
  }
}
