import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type EventEnvelope, MemberAdded, partitionOf } from '@retrace/contracts';
import type { NatsConnection } from '@nats-io/transport-node';
import { Broker, eventually } from '../../broker.testing.js';
import { anEvent, eventLogContract } from '../../event-log.contract.js';
import { appendOnce, type EventLog, ReadCut } from '../../event-log.port.js';
import { encodePages } from '../../pages/encode-pages.js';
import { aLargeEvent } from '../../pages/large-event.js';
import { PageJoiner } from '../../pages/page-joiner.js';
import { ensureStreams } from '../../streams.js';
import { appendBatch, toHeaders } from './append-batch.js';
import { JetStreamEventLog } from './jetstream-event-log.js';

let broker: Broker;
let connection: NatsConnection;

/** The log refuses to be purged, so an empty one is a new one. */
const openEmpty = async (): Promise<JetStreamEventLog> => {
  const jsm = await jetstreamManager(connection);
  for await (const { config } of jsm.streams.list()) await jsm.streams.delete(config.name);
  await ensureStreams(jsm);
  return JetStreamEventLog.open(connection);
};

beforeAll(async () => {
  broker = await Broker.start();
  connection = await broker.connect();
}, 120_000);
afterAll(() => broker.stop());

eventLogContract('JetStreamEventLog', openEmpty);

const sequences = async (log: EventLog, fromSequence = 1): Promise<number[]> => {
  const list: number[] = [];
  for await (const event of log.read({ fromSequence })) list.push(event.sequence);
  return list;
};

describe('JetStreamEventLog', () => {
  let log: JetStreamEventLog;
  beforeEach(async () => {
    log = await openEmpty();
  });

  it('reads more than one batch of the client, and ends', async () => {
    await Promise.all(Array.from({ length: 1200 }, () => log.append(anEvent())));
    expect(await sequences(log)).toEqual(Array.from({ length: 1200 }, (_, i) => i + 1));
    expect(await sequences(log, 1200)).toEqual([1200]);
    expect(await sequences(log, 1201)).toEqual([]);
  });

  it('ends a read where the log stood, while others go on writing', async () => {
    for (let i = 0; i < 5; i++) await log.append(anEvent());
    const seen: number[] = [];
    for await (const event of log.read()) {
      seen.push(event.sequence);
      await log.append(anEvent());
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  it('leaves no consumer behind, also of a read that was given up', async () => {
    for (let i = 0; i < 20; i++) await log.append(anEvent());
    for await (const event of log.read()) if (event.sequence === 3) break;
    await sequences(log);
    const jsm = await jetstreamManager(connection);
    await eventually(async () => expect((await jsm.streams.info('RETRACE')).state.consumer_count).toBe(0));
  });

  it('throws at an event that it cannot read', async () => {
    await log.append(anEvent());
    await jetstream(connection).publish(`retrace.event.${partitionOf('docs')}.docs.writer.member.added`, 'no JSON');
    await expect(sequences(log)).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('finds an event that was appended before the broker’s memory of ids', async () => {
    const event = anEvent();
    await log.append(event);
    const twin = { ...event, workspace: anEvent('other').workspace };
    // Same id, another subject: another event.
    expect(await log.find(twin, 1)).toBeUndefined();
    expect(await log.find(event, 1)).toBe(1);
  });

  it('appends an event whose id somebody took for a message of another subject', async () => {
    const event = anEvent();
    const other = `retrace.event.${partitionOf('docs')}.docs.writer.message.rejected`;
    await jetstream(connection).publish(other, '{}', { msgID: event.id, headers: toHeaders({ 'ce-id': event.id }) });
    expect(await log.append(event)).toEqual({ sequence: 2, duplicate: false });
    expect(await log.append(event)).toEqual({ sequence: 2, duplicate: true });
    expect(await sequences(log, 2)).toEqual([2]);
  });

  it('tells a refusal from not knowing', async () => {
    const large = { ...anEvent(), correlationid: 'x'.repeat(2 * 1024 * 1024) } as EventEnvelope<typeof MemberAdded>;
    await expect(log.append(large)).rejects.not.toMatchObject({ code: 'append_unknown' });
    const jsm = await jetstreamManager(connection);
    await jsm.streams.update('RETRACE', { max_msg_size: 10 });
    await expect(log.append(anEvent())).rejects.toMatchObject({ name: 'JetStreamApiError' });
    await expect(appendOnce(log, anEvent(), 1)).rejects.toMatchObject({ name: 'JetStreamApiError' });
  });

  it('ends a wait for a broker that its owner gave up', async () => {
    const own = await broker.connect();
    const ownLog = await JetStreamEventLog.open(own);
    await own.close();
    await expect(appendOnce(ownLog, anEvent(), 1)).rejects.toMatchObject({ name: 'ClosedConnectionError' });
  });

  it('appends once over a broker that dies and comes back', async () => {
    const event = anEvent();
    await broker.kill();
    const unknown = await log.append(event).catch((error: unknown) => error);
    expect(unknown).toMatchObject({ code: 'append_unknown', eventId: event.id });
    const appended = appendOnce(log, event, 1);
    await broker.restart();
    expect(await appended).toBe(1);
    expect(await appendOnce(log, event, 1)).toBe(1);
    expect(await log.lastSequence()).toBe(1);
  }, 60_000);

  it('appends a large event once over a broker that dies and comes back', async () => {
    const large = aLargeEvent(1_500);
    await broker.kill();
    expect(await log.append(large).catch((error: unknown) => error)).toMatchObject({ code: 'append_unknown' });
    const appended = appendOnce(log, large, 1);
    await broker.restart();
    const sequence = await appended;
    expect(await appendOnce(log, large, 1)).toBe(sequence);
    expect(await sequences(log)).toEqual([sequence]);
  }, 60_000);

  it('shows the pages of a large event to whoever is meant, who puts them together', async () => {
    const [small, large] = [anEvent(), aLargeEvent(1_500)];
    const joiner = new PageJoiner();
    const heard: { id: string | undefined; sequence: number; data: unknown }[] = [];
    connection.subscribe('retrace.out.notes.writer.>', {
      callback: (_, message) => {
        const { subject, headers } = message;
        const header = (name: string): string | undefined => headers?.get(name) || undefined;
        const whole = joiner.add({ subject, header, body: message.string() });
        if (!whole) return;
        const data = whole.json ?? JSON.parse(whole.body ?? '');
        heard.push({ id: whole.header('ce-id'), sequence: Number(header('Nats-Sequence')), data });
      },
    });
    await log.append(small);
    const { sequence } = await log.append(large);
    await eventually(() => expect(heard).toHaveLength(2));
    expect(heard).toEqual([
      { id: small.id, sequence: 1, data: small.data },
      { id: large.id, sequence, data: large.data },
    ]);
  });

  it('leaves nothing of a large event whose publisher ends between its pages', async () => {
    const messages = encodePages(aLargeEvent(1_500));
    const never = { ...messages.at(-1)!, subject: 'elsewhere' };
    const own = await broker.connect();
    // Nobody takes the last page: no commit.
    await expect(appendBatch(own, [...messages.slice(0, -1), never], true)).rejects.toThrow('no responders');
    await own.close();
    await log.append(anEvent());
    expect(await sequences(log)).toEqual([1]);
  });

  it('writes a large event again, whole, where the broker lost part of it and still knows the rest', async () => {
    const large = aLargeEvent(1_500);
    const [first] = encodePages(large);
    const js = jetstream(connection);
    await js.publish(first!.subject, first!.body, {
      msgID: `${large.id}/1`,
      headers: toHeaders(first!.headers),
    });
    expect(await log.find(large, 1)).toBeUndefined();
    const { sequence, duplicate } = await log.append(large);
    expect(duplicate).toBe(false);
    expect(await log.find(large, 1)).toBe(sequence);
    expect(await sequences(log)).toEqual([sequence]);
  });

  it('says what to do about a log that takes no pages', async () => {
    const jsm = await jetstreamManager(connection);
    await jsm.streams.update('RETRACE', { allow_atomic: false });
    const error = await log.append(aLargeEvent(1_500)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('start the bus') });
    await ensureStreams(jsm);
    expect(await log.append(aLargeEvent(1_500))).toMatchObject({ duplicate: false });
  });

  it('says that a read was cut, when the log comes back without the rest', async () => {
    for (let i = 0; i < 3; i++) await log.append(anEvent());
    await broker.kill();
    await broker.keepStore();
    await broker.restart();
    await eventually(() => log.lastSequence());
    for (let i = 0; i < 1000; i++) await log.append(anEvent());

    const cut = (async () => {
      for await (const event of log.read()) {
        if (event.sequence !== 5) continue;
        await broker.kill();
        await broker.putBackStore();
        await broker.restart();
      }
    })();
    await expect(cut).rejects.toBeInstanceOf(ReadCut);
  }, 60_000);
});
