import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { Broker } from '../../broker.testing.js';
import { ensureStreams } from '../../streams.js';
import { AckedPublisher } from './acked-publisher.js';

const SUBJECT = 'retrace.event.1.ws.agent.a.b';

async function statusOf(connection: NatsConnection, wanted: string): Promise<void> {
  for await (const { type } of connection.status()) if (type === wanted) return;
}

describe('a publisher that hears acknowledgements', () => {
  let broker: Broker;
  let connection: NatsConnection;

  beforeAll(async () => {
    broker = await Broker.start();
    connection = await broker.connect();
    await ensureStreams(await jetstreamManager(connection));
  }, 120_000);
  afterAll(() => broker.stop());

  it('tells where each message came to stand, in the order of publication', async () => {
    const publisher = new AckedPublisher(connection);
    const acks = await Promise.all(['a', 'b', 'c'].map((text) => publisher.publish(SUBJECT, text)));
    const [first] = acks;
    expect(acks).toEqual([0, 1, 2].map((more) => ({ seq: first!.seq + more, duplicate: false })));
  });

  it('tells of one that the stream has already', async () => {
    const publisher = new AckedPublisher(connection);
    const id = headers();
    id.set('Nats-Msg-Id', 'one');
    const { seq } = await publisher.publish(SUBJECT, 'x', id);
    expect(await publisher.publish(SUBJECT, 'x', id)).toEqual({ seq, duplicate: true });
  });

  it('tells what refused a message, each by its name', async () => {
    const publisher = new AckedPublisher(connection);
    await expect(publisher.publish('nobody.hears', 'x')).rejects.toMatchObject({ name: 'NoResponders' });
    const large = new Uint8Array((connection.info?.max_payload ?? 0) + 1);
    await expect(publisher.publish(SUBJECT, large)).rejects.toMatchObject({ name: 'InvalidArgumentError' });
    const stale = headers();
    stale.set('Nats-Expected-Last-Sequence', '1');
    await expect(publisher.publish(SUBJECT, 'x', stale)).rejects.toMatchObject({
      name: 'JetStreamApiError',
      code: 10071,
    });
  });

  it('waits no longer than its time, for the first and for those behind it', async () => {
    await broker.connect().then((own) => own.close());
    const publisher = new AckedPublisher(connection, 30);
    // Taken by a plain subscriber, which acknowledges nothing.
    const silent = connection.subscribe('silent.>', { callback: () => undefined });
    const late = ['a', 'b'].map((text) => publisher.publish('silent.x', text));
    for (const one of late) await expect(one).rejects.toMatchObject({ name: 'TimeoutError' });
    silent.unsubscribe();
  });

  it('sends nothing while the connection is away: it would go out before what was lost', async () => {
    const publisher = new AckedPublisher(connection);
    await publisher.publish(SUBJECT, 'x');
    const back = statusOf(connection, 'reconnect');
    const away = statusOf(connection, 'disconnect');
    await broker.kill();
    await away;
    expect(publisher.isConnected).toBe(false);
    await expect(publisher.publish(SUBJECT, 'x')).rejects.toMatchObject({ name: 'ConnectionError' });
    await broker.restart();
    await back;
    expect(publisher.isConnected).toBe(true);
  });

  it('knows at once that a connection went, and that it is closed', async () => {
    const own = await broker.connect();
    const publisher = new AckedPublisher(own, 600_000);
    own.subscribe('silent.>', { callback: () => undefined });
    const lost = publisher.publish('silent.x', 'x').catch((error: unknown) => error);
    await own.close();
    expect(await lost).toMatchObject({ name: 'ClosedConnectionError' });
    await expect(publisher.publish(SUBJECT, 'x')).rejects.toMatchObject({ name: 'ClosedConnectionError' });
  });
});
