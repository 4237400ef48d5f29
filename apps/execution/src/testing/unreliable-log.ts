import type { AnyEventDefinition, EventEnvelope, EventId, StoredEvent } from '@retrace/contracts';
import { type Appended, AppendUnknown, type EventLog, type ReadOptions } from '@retrace/event-log';

/** A log that can be away, lose its answers, or refuse. */
export class UnreliableLog implements EventLog {
  mode: 'well' | 'away' | 'loses answers' | 'goes away' | 'refuses' = 'well';
  appends = 0;

  constructor(private readonly log: EventLog) {}

  async append<D extends AnyEventDefinition>(event: EventEnvelope<D>): Promise<Appended> {
    this.appends += 1;
    if (this.mode === 'refuses') throw new Error('the stream is full');
    if (this.mode === 'away') throw new AppendUnknown(event.id);
    const appended = await this.log.append(event);
    if (this.mode === 'goes away') this.mode = 'away';
    if (this.mode !== 'well') throw new AppendUnknown(event.id);
    return appended;
  }

  async find(event: EventEnvelope, fromSequence: number): Promise<number | undefined> {
    if (this.mode === 'away') throw new AppendUnknown(event.id);
    return this.log.find(event, fromSequence);
  }

  read(options?: ReadOptions): AsyncIterable<StoredEvent> {
    return this.log.read(options);
  }

  idAt(sequence: number): Promise<EventId | undefined> {
    return this.log.idAt(sequence);
  }

  lastSequence(): Promise<number> {
    return this.log.lastSequence();
  }
}
