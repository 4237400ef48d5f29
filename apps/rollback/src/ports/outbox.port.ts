import type { EventEnvelope } from '@retrace/contracts';

export interface OutboxEntry {
  /** The event that caused it: it stands nowhere before that. */
  readonly causedAt: number;
  readonly lane: string;
  readonly event: EventEnvelope;
}

/** Events that are decided, stored with the state that they follow from, and perhaps not yet in the log. */
export abstract class Outbox {
  /** Oldest first, at most `limit`. */
  abstract waiting(limit: number): OutboxEntry[];
  /** The event stands in the log. */
  abstract published(entry: OutboxEntry): void;
}
