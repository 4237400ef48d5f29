import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyEventDefinition, EventEnvelope, EventId, StoredEvent } from '@retrace/contracts';

export interface Appended {
  /** Place in the log: of an event in pages that of the last. */
  readonly sequence: number;
  /** The broker had seen this event id within its window; on a first publish that is an alarm. */
  readonly duplicate: boolean;
}

export interface ReadOptions {
  readonly fromSequence?: number;
  /** NATS subject filters; all events where absent. */
  readonly filters?: readonly string[];
}

/** The log: append-only, one order, the source of truth. */
export interface EventLog {
  /**
   * Appends one event; what is too large for one message in pages, all or none. Rejects with a RetraceError
   * `intent_too_large` where it cannot be cut small enough, and with {@link AppendUnknown} where nobody can know whether
   * it arrived: then {@link EventLog.find} comes before another try. While the bus is away that is said at once: whoever
   * tries again pauses, as {@link appendOnce} does.
   */
  append<D extends AnyEventDefinition>(event: EventEnvelope<D>): Promise<Appended>;
  /** Answers the sequence of the first whole event with this id and subject that begins at or after `fromSequence`. */
  find(event: EventEnvelope, fromSequence: number): Promise<number | undefined>;
  /**
   * Reads whole events in order up to the end as it stood at the call; one that begins before `fromSequence` is left out.
   * Throws {@link ReadCut} where the log goes away meanwhile.
   */
  read(options?: ReadOptions): AsyncIterable<StoredEvent>;
  /** The id of the event at a sequence; `undefined` where none stands. */
  idAt(sequence: number): Promise<EventId | undefined>;
  lastSequence(): Promise<number>;
}

/** The answer to a publish never came: the event may stand in the log or not. */
export class AppendUnknown extends Error {
  readonly code = 'append_unknown';
  constructor(
    readonly eventId: string,
    options?: ErrorOptions,
  ) {
    super(`nobody knows whether ${eventId} reached the log; look for it before publishing again`, options);
    this.name = 'AppendUnknown';
  }
}

/** The log went away while it was read: what came so far is true, what follows is unknown. */
export class ReadCut extends Error {
  readonly code = 'read_cut';
  constructor(readonly lastSequence: number) {
    super(`the log went away while it was read, after ${lastSequence}`);
    this.name = 'ReadCut';
  }
}

/**
 * Appends an event of which an earlier try may have arrived: looks for it from `fromSequence` first. Retries until
 * the log answers; `signal` ends the wait.
 */
export async function appendOnce(
  log: EventLog,
  event: EventEnvelope,
  fromSequence: number,
  signal?: AbortSignal,
): Promise<number> {
  for (let wait = 50; ; wait = Math.min(wait * 2, 5_000)) {
    signal?.throwIfAborted();
    try {
      const found = await log.find(event, fromSequence);
      return found ?? (await log.append(event)).sequence;
    } catch (error) {
      if (!isTransient(error)) throw error;
      // Called off in the midst of it, the next turn says so.
      await sleep(wait, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined);
    }
  }
}

/** Codes and names of what passes once the broker is there again. A closed connection is not among them. */
const TRANSIENT = new Set<unknown>([
  'append_unknown',
  'read_cut',
  'TimeoutError',
  'NoResponders',
  'RequestError',
  'ConnectionError',
  'ConsumerNotFoundError',
  // No responders of JetStream: it is still coming up.
  'JetStreamNotEnabled',
]);

function isTransient(error: unknown): boolean {
  const { code, name, status } = (error ?? {}) as { code?: unknown; name?: unknown; status?: unknown };
  return TRANSIENT.has(code) || TRANSIENT.has(name) || status === 503;
}
