import { beforeEach, describe, expect, it } from '@jest/globals';
import { type EventEnvelope, MemberAdded, PrincipalSchema, WorkspaceNameSchema } from '@retrace/contracts';
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

    it('answers the id at a place, and nothing before the beginning or beyond the end', async () => {
      const event = anEvent();
      await log.append(event);
      expect(await log.idAt(1)).toBe(event.id);
      expect(await log.idAt(2)).toBeUndefined();
      expect(await log.idAt(0)).toBeUndefined();
    });
  });
}
