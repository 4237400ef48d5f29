import {
  type AnyEventDefinition,
  decodeEvent,
  type EncodedEvent,
  encodeEvent,
  type EventEnvelope,
  type EventId,
  type StoredEvent,
} from '@retrace/contracts';
import type { Appended, EventLog, ReadOptions } from '../../event-log.port.js';
import { subjectMatches } from '../../subject-matches.js';

/** The log in memory, for specs of what is built on it. */
export class MemoryEventLog implements EventLog {
  private readonly events: EncodedEvent[] = [];

  // Async although it never waits: what is wrong with an event is a rejection, as it is with the real log.
  async append<D extends AnyEventDefinition>(event: EventEnvelope<D>): Promise<Appended> {
    const encoded = encodeEvent(event);
    const known = this.events.findIndex((other) => other.headers['ce-id'] === event.id);
    if (known >= 0) return { sequence: known + 1, duplicate: true };
    return { sequence: this.events.push(encoded), duplicate: false };
  }

  find(event: EventEnvelope, fromSequence: number): Promise<number | undefined> {
    const { subject } = encodeEvent(event);
    const at = this.events.findIndex(
      (other, index) => index + 1 >= fromSequence && other.subject === subject && other.headers['ce-id'] === event.id,
    );
    return Promise.resolve(at < 0 ? undefined : at + 1);
  }

  async *read({ fromSequence = 1, filters = [] }: ReadOptions = {}): AsyncIterable<StoredEvent> {
    const end = await this.lastSequence();
    for (let sequence = Math.max(1, fromSequence); sequence <= end; sequence++) {
      const { subject, headers, body } = this.events[sequence - 1]!;
      if (filters.length > 0 && !filters.some((filter) => subjectMatches(filter, subject))) continue;
      yield decodeEvent({ subject, header: (name) => headers[name], body }, sequence);
    }
  }

  idAt(sequence: number): Promise<EventId | undefined> {
    return Promise.resolve(this.events[sequence - 1]?.headers['ce-id'] as EventId | undefined);
  }

  lastSequence(): Promise<number> {
    return Promise.resolve(this.events.length);
  }
}
