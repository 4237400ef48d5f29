import type { Intent, IntentId } from '@retrace/contracts';
import type { WorkspaceCalls } from '../workspace-calls.js';
import type { IntentDesk } from './intent-desk.js';
import type { IntentOptions } from './intent-options.js';
import type { IntentEnd, Settled } from './settled.js';
import type { OutcomeAnswer } from './whole-outcome.js';

/** Hands intents in with the connection's time limit, and notes how far in the log their ends are. */
export class IntentSender {
  constructor(
    private readonly desk: IntentDesk,
    private readonly calls: WorkspaceCalls,
    private readonly timeoutMs: number,
  ) {}

  async submit(
    intent: Intent,
    { timeoutMs = this.timeoutMs, signal, intentId }: IntentOptions,
    upload?: () => Promise<unknown>,
  ): Promise<Settled> {
    const again = intentId !== undefined;
    try {
      const settled = await this.desk.submit(intent, { timeoutMs, signal, upload, again });
      this.calls.saw(settled.sequence);
      return settled;
    } catch (error) {
      const { sequence } = error as { sequence?: unknown };
      if (typeof sequence === 'number') this.calls.saw(sequence);
      throw error;
    }
  }

  /** Hears how an intent ended, however late. */
  whenEnded(id: IntentId, onEnd: (end: IntentEnd) => void): void {
    this.desk.whenEnded(id, onEnd);
  }

  async cancel(id: IntentId, timeoutMs = this.timeoutMs): Promise<IntentEnd> {
    const end = await this.desk.cancel(id, timeoutMs);
    this.calls.saw(end.sequence);
    return end;
  }

  outcome(id: IntentId): Promise<OutcomeAnswer> {
    return this.desk.outcome(id);
  }
}

/** Two kinds may share a shape, so the kind asked for is looked for in each. */
type SettledAs<K> = Settled extends infer S
  ? S extends { kind: infer Of }
    ? K extends Of
      ? S
      : never
    : never
  : never;

/** An intent of one kind ends as its kind does. */
export function as<K extends Settled['kind']>(kind: K, settled: Settled): SettledAs<K> {
  if (settled.kind !== kind) throw new TypeError(`${settled.intentId} ended as ${settled.kind}, not as ${kind}`);
  return settled as SettledAs<K>;
}
