import { beforeEach, describe, expect, it } from '@jest/globals';
import { type EventEnvelope, MemberAdded, PrincipalSchema, WorkspaceNameSchema } from '@retrace/contracts';
import { aLargeEvent } from './pages/large-event.js';
import type { EventLog } from './event-log.port.js';
import { appendOnce } from './event-log.port.js';
import { newId } from './new-id.js';

const member = PrincipalSchema.parse('writer');

/** An event like any other, for specs of the log. */
export const anEvent = (workspace = 'notes'): EventEnvelope<typeof MemberAdded> => ({
  id: newId('evt'),
  type: MemberAdded.type,
  source: 'retrace/policy',
  time: '2026-01-01T00:00:00.000Z',
  workspace: WorkspaceNameSchema.parse(workspace),
  agent: member,
  correlationid: newId('int'),
  data: { member, added_by: PrincipalSchema.parse('_op-me') },
});

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

/** What every event log promises. `open` gives an empty one. */
export function eventLogContract(name: string, open: () => Promise<EventLog>): void {
  describe(`${name} keeps the promises of an event log`, () => {
    let log: EventLog;
    beforeEach(async () => {
      log = await open();
    });

    it('gives sequences in order and reads the same events back', async () => {
      const events = [anEvent(), anEvent('other'), anEvent()];
      const sequences = [];
      for (const event of events) sequences.push((await log.append(event)).sequence);
      expect(sequences).toEqual([1, 2, 3]);
      expect(await all(log.read())).toEqual(events.map((event, i) => ({ ...event, sequence: i + 1 })));
    });

    it('says when it had an event already, and keeps it once', async () => {
      const event = anEvent();
      expect(await log.append(event)).toMatchObject({ sequence: 1, duplicate: false });
      expect(await log.append(event)).toMatchObject({ sequence: 1, duplicate: true });
      expect(await log.lastSequence()).toBe(1);
    });

    it('finds an event by id from a place on', async () => {
      const event = anEvent();
      await log.append(anEvent());
      await log.append(event);
      expect(await log.find(event, 1)).toBe(2);
      expect(await log.find(event, 3)).toBeUndefined();
      expect(await log.find(anEvent(), 1)).toBeUndefined();
    });

    it('appends once what may have arrived before', async () => {
      const event = anEvent();
      expect(await appendOnce(log, event, 1)).toBe(1);
      expect(await appendOnce(log, event, 1)).toBe(1);
      expect(await log.lastSequence()).toBe(1);
    });

    it('reads from a place on, and by filter', async () => {
      for (const workspace of ['a', 'b', 'a']) await log.append(anEvent(workspace));
      expect((await all(log.read({ fromSequence: 2 }))).map((event) => event.sequence)).toEqual([2, 3]);
      const onlyA = await all(log.read({ filters: ['retrace.event.*.a.>'] }));
      expect(onlyA.map((event) => event.sequence)).toEqual([1, 3]);
    });

    it('refuses data that its schema does not know, before the log sees it', async () => {
      const bad = { ...anEvent(), data: { member: 'NOT A NAME' } } as unknown as EventEnvelope<typeof MemberAdded>;
      await expect(log.append(bad)).rejects.toThrow('member');
      expect(await log.lastSequence()).toBe(0);
    });

    it('takes an event of 3 MB and gives it back as one, at the place of its last message', async () => {
      const [before, large, after] = [anEvent(), aLargeEvent(3_000), anEvent()];
      await log.append(before);
      const { sequence, duplicate } = await log.append(large);
      await log.append(after);
      expect({ duplicate, several: sequence > 5 }).toEqual({ duplicate: false, several: true });
      expect(await log.lastSequence()).toBe(sequence + 1);
      expect(await log.idAt(sequence)).toBe(large.id);
      expect(await all(log.read())).toEqual([
        { ...before, sequence: 1 },
        { ...large, sequence },
        { ...after, sequence: sequence + 1 },
      ]);
    });

    it('finds a large event whole, and appends it once', async () => {
      const large = aLargeEvent(1_500);
      await log.append(anEvent());
      const { sequence } = await log.append(large);
      expect(await log.find(large, 1)).toBe(sequence);
      expect(await log.find(large, 2)).toBe(sequence);
      expect(await log.append(large)).toEqual({ sequence, duplicate: true });
      expect(await appendOnce(log, large, 1)).toBe(sequence);
      expect(await log.lastSequence()).toBe(sequence);
    });

    it('never gives half an event to a reader that begins between its messages', async () => {
      const [large, after] = [aLargeEvent(1_500), anEvent()];
      const { sequence } = await log.append(large);
      await log.append(after);
      expect(sequence).toBeGreaterThan(2);
      for (let from = 2; from <= sequence + 1; from++)
        expect(await all(log.read({ fromSequence: from }))).toEqual([{ ...after, sequence: sequence + 1 }]);
      expect(await log.find(large, 2)).toBeUndefined();
    });

    it('refuses what cannot be cut small enough, and appends none of it', async () => {
      const wide = { ...aLargeEvent(2), data: { ...aLargeEvent(2).data, restored: ['x', 'y'.repeat(9_000_000)] } };
      await expect(log.append(wide)).rejects.toMatchObject({ code: 'intent_too_large' });
      expect(await log.lastSequence()).toBe(0);
    });

    it('answers the id at a place, and nothing before the beginning or beyond the end', async () => {
      const event = anEvent();
      await log.append(event);
      expect(await log.idAt(1)).toBe(event.id);
      expect(await log.idAt(2)).toBeUndefined();
      expect(await log.idAt(0)).toBeUndefined();
    });
  });
}
