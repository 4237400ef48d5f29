import {
  type AnyEventDefinition,
  decodeEvent,
  type EncodedEvent,
  type EventEnvelope,
  type EventId,
  type StoredEvent,
  subjectOf,
} from '@retrace/contracts';
import type { Appended, EventLog, ReadOptions } from '../../event-log.port.js';
import { encodePages } from '../../pages/encode-pages.js';
import { PageJoiner } from '../../pages/page-joiner.js';
import { subjectMatches } from '../../subject-matches.js';

/** The log in memory, for specs of what is built on it. */
export class MemoryEventLog implements EventLog {
  private readonly messages: EncodedEvent[] = [];

  // Async although it never waits: what is wrong with an event is a rejection, as it is with the real log.
  async append<D extends AnyEventDefinition>(event: EventEnvelope<D>): Promise<Appended> {
    const messages = encodePages(event);
    const known = this.messages.findLastIndex((other) => other.headers['ce-id'] === event.id);
    if (known >= 0) return { sequence: known + 1, duplicate: true };
    return { sequence: this.messages.push(...messages), duplicate: false };
  }

  // Pages are appended all or none, so where the last stands the others do.
  find(event: EventEnvelope, fromSequence: number): Promise<number | undefined> {
    const subject = subjectOf(event);
    const is = (other: EncodedEvent): boolean => other.subject === subject && other.headers['ce-id'] === event.id;
    const first = this.messages.findIndex(is) + 1;
    const last = this.messages.findLastIndex(is) + 1;
    return Promise.resolve(first === 0 || first < fromSequence ? undefined : last);
  }

  async *read({ fromSequence = 1, filters = [] }: ReadOptions = {}): AsyncIterable<StoredEvent> {
    const end = await this.lastSequence();
    const joiner = new PageJoiner();
    for (let sequence = Math.max(1, fromSequence); sequence <= end; sequence++) {
      const { subject, headers, body } = this.messages[sequence - 1]!;
      if (filters.length > 0 && !filters.some((filter) => subjectMatches(filter, subject))) continue;
      const whole = joiner.add({ subject, header: (name) => headers[name], body });
      if (whole) yield decodeEvent(whole, sequence);
    }
  }

  idAt(sequence: number): Promise<EventId | undefined> {
    return Promise.resolve(this.messages[sequence - 1]?.headers['ce-id'] as EventId | undefined);
  }

  lastSequence(): Promise<number> {
    return Promise.resolve(this.messages.length);
  }
}
