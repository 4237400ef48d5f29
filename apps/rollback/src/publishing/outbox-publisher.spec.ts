import { describe, expect, it } from '@jest/globals';
import { type EventEnvelope, MemberAdded, NOBODY } from '@retrace/contracts';
import { type Appended, newId } from '@retrace/event-log';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { context } from '../domain/testing/history-builder.js';
import type { Outbox, OutboxEntry } from '../ports/outbox.port.js';
import { OutboxPublisher } from './outbox-publisher.js';

const entry = (causedAt: number): OutboxEntry => ({
  lane: '1',
  causedAt,
  event: {
    id: newId('evt'),
    type: MemberAdded.type,
    source: 'retrace/spec',
    time: '2026-01-01T00:00:00.000Z',
    workspace: context.workspace,
    agent: NOBODY,
    data: { member: NOBODY, added_by: NOBODY },
  },
});

class MemoryOutbox implements Outbox {
  constructor(readonly entries: OutboxEntry[]) {}

  waiting(limit: number): OutboxEntry[] {
    return this.entries.slice(0, limit);
  }

  published(entry_: OutboxEntry): void {
    this.entries.splice(this.entries.indexOf(entry_), 1);
  }
}

/** Refuses one event for good. */
class RefusingLog extends MemoryEventLog {
  constructor(private readonly refused: string) {
    super();
  }

  override append(event: EventEnvelope): Promise<Appended> {
    return event.id === this.refused ? Promise.reject(new Error('too large')) : super.append(event);
  }
}

describe('what waits in the outbox', () => {
  it('goes to the log, more than a batch of it', async () => {
    const log = new MemoryEventLog();
    const outbox = new MemoryOutbox(Array.from({ length: 600 }, (_, i) => entry(i)));
    const publisher = new OutboxPublisher(outbox, log, (error) => {
      throw error;
    });
    publisher.kick();
    await publisher.drained();
    expect(outbox.entries).toEqual([]);
    expect(await log.lastSequence()).toBe(600);
  });

  it('is not held up by an event that the log refuses, which stays', async () => {
    const [bad, good] = [entry(1), entry(2)];
    const outbox = new MemoryOutbox([bad, good]);
    const log = new RefusingLog(bad.event.id);
    const troubles: OutboxEntry[] = [];
    const publisher = new OutboxPublisher(outbox, log, (_, about) => troubles.push(about));
    publisher.kick();
    while (outbox.entries.length > 1) await new Promise((resolve) => setImmediate(resolve));
    await publisher.close();
    expect(troubles).toEqual([bad]);
    expect(outbox.entries).toEqual([bad]);
    expect(await log.find(good.event, 1)).toBe(1);
  });

  it('is left alone once the service closes', async () => {
    const outbox = new MemoryOutbox([entry(1)]);
    const publisher = new OutboxPublisher(outbox, new MemoryEventLog(), () => undefined);
    await publisher.close();
    publisher.kick();
    await publisher.drained();
    expect(outbox.entries).toHaveLength(1);
  });
});
