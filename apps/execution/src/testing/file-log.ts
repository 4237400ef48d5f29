import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import {
  type AnyEventDefinition,
  decodeEvent,
  type EncodedEvent,
  encodeEvent,
  type EventEnvelope,
  type EventId,
  type StoredEvent,
} from '@retrace/contracts';
import type { Appended, EventLog, ReadOptions } from '@retrace/event-log';

/** The log as lines of a file: it outlives the process that is killed. Ids are not compared: a double shows. */
export class FileLog implements EventLog {
  constructor(private readonly file: string) {}

  append<D extends AnyEventDefinition>(event: EventEnvelope<D>): Promise<Appended> {
    appendFileSync(this.file, `${JSON.stringify(encodeEvent(event))}\n`);
    return Promise.resolve({ sequence: this.all().length, duplicate: false });
  }

  find(event: EventEnvelope, fromSequence: number): Promise<number | undefined> {
    const at = this.all().findIndex(({ headers }, i) => i + 1 >= fromSequence && headers['ce-id'] === event.id);
    return Promise.resolve(at < 0 ? undefined : at + 1);
  }

  async *read({ fromSequence = 1 }: ReadOptions = {}): AsyncIterable<StoredEvent> {
    for (const [i, { subject, headers, body }] of this.all().entries())
      if (i + 1 >= fromSequence) yield decodeEvent({ subject, header: (name) => headers[name], body }, i + 1);
    await Promise.resolve();
  }

  idAt(sequence: number): Promise<EventId | undefined> {
    return Promise.resolve(this.all()[sequence - 1]?.headers['ce-id'] as EventId | undefined);
  }

  lastSequence(): Promise<number> {
    return Promise.resolve(this.all().length);
  }

  private all(): EncodedEvent[] {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as EncodedEvent);
  }
}
