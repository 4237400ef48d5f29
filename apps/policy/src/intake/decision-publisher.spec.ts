import { describe, expect, it } from '@jest/globals';
import type { AnyEventDefinition, EventEnvelope } from '@retrace/contracts';
import { type Appended, AppendUnknown } from '@retrace/event-log';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { denialEvent } from '../domain/decision-events.js';
import { id, partId, principal } from '../domain/testing.js';
import { DecisionPublisher } from './decision-publisher.js';

const decision = (number: number): EventEnvelope =>
  denialEvent(
    {
      workspace: 'ws' as never,
      principal: principal('writer'),
      inSequence: number,
      attempt: 1,
      eventId: id('evt', number),
      logicalOperationId: id('lop', number),
      rollbackId: id('rbk', number),
      rollbackLogicalOperationId: id('lop', number),
      part: undefined,
      partId,
      time: '2026-01-01T00:00:00.000Z',
      causationId: id('int', number),
    },
    { intent_id: id('int', number), type: 'unknown' },
    { code: 'malformed_intent', message: 'm' },
  );

/** The log, whose first answers are lost: after the event arrived, or before. */
class LossyLog extends MemoryEventLog {
  tries = 0;
  constructor(private readonly lost: ('after' | 'before')[]) {
    super();
  }

  override async append<D extends AnyEventDefinition>(event: EventEnvelope<D>): Promise<Appended> {
    this.tries += 1;
    const lost = this.lost.shift();
    if (lost !== 'before') {
      const appended = await super.append(event);
      if (lost === undefined) return appended;
    }
    throw new AppendUnknown(event.id);
  }
}

const publisherOver = (log: MemoryEventLog, stop = new AbortController()) => {
  const troubles: string[] = [];
  return { troubles, stop, publisher: new DecisionPublisher(log, stop.signal, (message) => troubles.push(message)) };
};

describe('publishing a decision', () => {
  it('whose answer was lost looks for it and does not publish again', async () => {
    const log = new LossyLog(['after']);
    const { publisher, troubles } = publisherOver(log);
    expect(await publisher.publish(decision(1))).toEqual({ sequence: 1, duplicate: false });
    expect(log.tries).toBe(1);
    expect(troubles).toHaveLength(1);
  });

  it('that never arrived is published again until it does', async () => {
    const log = new LossyLog(['before', 'before']);
    const { publisher } = publisherOver(log);
    expect(await publisher.publish(decision(1))).toEqual({ sequence: 1, duplicate: false });
    expect(await log.lastSequence()).toBe(1);
    expect(log.tries).toBe(3);
  });

  it('that the log had already says so', async () => {
    const log = new MemoryEventLog();
    await log.append(decision(1));
    expect(await publisherOver(log).publisher.publish(decision(1))).toEqual({ sequence: 1, duplicate: true });
  });

  it('of no proper form is refused at once', async () => {
    const { publisher } = publisherOver(new MemoryEventLog());
    const bad = { ...decision(1), data: { code: 7 } } as unknown as EventEnvelope;
    await expect(Promise.resolve().then(() => publisher.publish(bad))).rejects.toMatchObject({ name: 'ZodError' });
  });

  it('ends with the service', async () => {
    const { publisher, stop } = publisherOver(new LossyLog(Array.from({ length: 100 }, () => 'before' as const)));
    const published = publisher.publish(decision(1));
    stop.abort(new Error('stopping'));
    await expect(published).rejects.toThrow('stopping');
  });

  it('has several on their way, in the order in which they were given, also where one must be published again', async () => {
    const log = new LossyLog(['before', 'before']);
    const { publisher } = publisherOver(log);
    const numbers = [1, 2, 3, 4];
    const first = numbers.slice(0, 2).map((number) => publisher.publish(decision(number)));
    expect(log.tries).toBe(2);
    await new Promise((resolve) => setImmediate(resolve));
    // Both are in doubt: what comes now waits for them.
    const later = numbers.slice(2).map((number) => publisher.publish(decision(number)));
    const at = await Promise.all([...first, ...later]);
    expect(at.map(({ sequence }) => sequence)).toEqual(numbers);
  });
});
