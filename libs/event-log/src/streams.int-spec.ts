import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { MAX_INTENT_BYTES } from '@retrace/contracts';
import type { NatsConnection } from '@nats-io/transport-node';
import { Broker } from './broker.testing.js';
import { ensureStreams, MAX_WAITING_INTENTS } from './streams.js';

describe('ensureStreams', () => {
  let broker: Broker;
  let connection: NatsConnection;
  let jsm: JetStreamManager;

  beforeAll(async () => {
    broker = await Broker.start();
    connection = await broker.connect();
    jsm = await jetstreamManager(connection);
  }, 120_000);
  afterAll(() => broker.stop());

  it('makes both streams, from several places at once', async () => {
    const places = await Promise.all([broker.connect(), broker.connect(), broker.connect()]);
    await Promise.all(places.map(async (place) => ensureStreams(await jetstreamManager(place))));
    const names = [];
    for await (const { config } of jsm.streams.list()) names.push(config.name);
    expect(names.toSorted()).toEqual(['RETRACE', 'RETRACE_IN']);
  });

  it('leaves what it finds as it is', async () => {
    const { seq } = await jetstream(connection).publish('retrace.event.1.docs.writer.a.b', '{}');
    await jsm.streams.update('RETRACE_IN', { max_bytes: 4096 });
    await ensureStreams(jsm);
    expect((await jsm.streams.info('RETRACE')).state.last_seq).toBe(seq);
    expect((await jsm.streams.info('RETRACE_IN')).config.max_bytes).toBe(4096);
    await jsm.streams.update('RETRACE_IN', { max_bytes: -1 });
  });

  it('lets a log of before there were pages take them, and keeps what it holds', async () => {
    const { seq } = await jetstream(connection).publish('retrace.event.1.docs.writer.a.b', '{}');
    await jsm.streams.update('RETRACE', { allow_atomic: false });
    const places = await Promise.all([broker.connect(), broker.connect(), broker.connect()]);
    await Promise.all(places.map(async (place) => ensureStreams(await jetstreamManager(place))));
    const { config, state } = await jsm.streams.info('RETRACE');
    expect(config).toMatchObject({ allow_atomic: true, deny_delete: true, deny_purge: true, allow_direct: true });
    expect(state.last_seq).toBe(seq);
  });

  it('does not take a log for its own that may lose events, or that tells nobody of them', async () => {
    const other = await Broker.start();
    const manager = await jetstreamManager(await other.connect());
    await manager.streams.add({ name: 'RETRACE', subjects: ['retrace.event.>'], max_msgs: 10 });
    await expect(ensureStreams(manager)).rejects.toThrow(/deny_delete, deny_purge.*max_msgs, republish/);
    // Nor is it changed.
    expect((await manager.streams.info('RETRACE')).config.allow_atomic).toBeFalsy();
    await other.stop();
  });

  it('makes a log that nobody purges or thins', async () => {
    await expect(jsm.streams.purge('RETRACE')).rejects.toThrow('purge');
    await expect(jsm.streams.deleteMessage('RETRACE', 1)).rejects.toThrow('delete');
    await expect(jsm.streams.update('RETRACE', { deny_purge: false })).rejects.toThrow('deny purge');
  });

  it('shows what was stored, with its place, to whoever is meant', async () => {
    const outcomes = connection.subscribe('retrace.out.docs.writer.>', { max: 1 });
    const { seq } = await jetstream(connection).publish('retrace.event.1.docs.writer.operation.applied', 'x');
    for await (const message of outcomes) {
      expect(message.subject).toBe('retrace.out.docs.writer.operation.applied');
      expect(message.headers?.get('Nats-Sequence')).toBe(String(seq));
    }
  });

  it('makes a door that takes no intent beyond its size, and only so many of one sender', async () => {
    const js = jetstream(connection);
    const slack = 16 * 1024 + 1;
    await expect(js.publish('retrace.intent.docs.writer', 'x'.repeat(MAX_INTENT_BYTES + slack))).rejects.toThrow(
      'size',
    );
    await jsm.streams.update('RETRACE_IN', { max_msgs_per_subject: 2 });
    for (let i = 0; i < 2; i++) await js.publish('retrace.intent.docs.writer', 'x');
    await expect(js.publish('retrace.intent.docs.writer', 'x')).rejects.toThrow('maximum messages per subject');
    await js.publish('retrace.intent.docs.other', 'x');
    expect(MAX_WAITING_INTENTS).toBe(10_000);
  });
});
