import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type EventEnvelope, MessageRejected, PrincipalSchema, WorkspaceNameSchema } from '@retrace/contracts';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { JetStreamEventLog } from '../adapters/jetstream/jetstream-event-log.js';
import { appendOnce } from '../event-log.port.js';
import { newId } from '../new-id.js';
import { aLargeEvent } from '../pages/large-event.js';
import { Broker, eventually } from '../broker.testing.js';
import { ensureStreams } from '../streams.js';
import { RememberedTail } from './remembered-tail.js';
import { type TailLimits, TailStore } from './tail-store.js';

jest.setTimeout(60_000);

const REPAIR = { patienceMs: 1_000, stillMs: 100 };

/** One service: its memory and its way to the log. */
class Publisher {
  readonly troubles: string[] = [];
  readonly movedFrom: number[] = [];
  log!: JetStreamEventLog;
  tail!: RememberedTail;
  private store!: TailStore;

  constructor(
    private readonly connection: NatsConnection,
    private readonly folder: string,
  ) {}

  async open(limits?: TailLimits, begin = true): Promise<this> {
    this.store = TailStore.open(this.folder, 'process', limits);
    const onTrouble = (message: string): void => void this.troubles.push(message);
    this.tail = await RememberedTail.open(this.connection, this.store, { repair: REPAIR, onTrouble });
    this.tail.whenMoved(async (from) => void this.movedFrom.push(from));
    this.log = await JetStreamEventLog.open(this.connection, undefined, this.tail);
    if (begin) this.tail.begin();
    return this;
  }

  async append(count: number, more: Partial<EventEnvelope> = {}): Promise<EventEnvelope[]> {
    const events = Array.from({ length: count }, () => anEvent(more));
    for (const event of events) await this.log.append(event);
    return events;
  }

  close(): Promise<void> {
    return this.tail.close();
  }
}

const anEvent = (more: Partial<EventEnvelope> = {}): EventEnvelope => ({
  id: newId('evt'),
  type: MessageRejected.type,
  source: 'retrace/policy',
  time: '2026-01-01T00:00:00.000Z',
  workspace: WorkspaceNameSchema.parse('notes'),
  agent: PrincipalSchema.parse('writer'),
  data: MessageRejected.data.parse({
    service: 'policy',
    stream: 'RETRACE',
    sequence: 1,
    subject: 'a.b',
    rejected_event_id: null,
    reason: 'bad_json',
    message: 'no JSON',
  }),
  ...more,
});

async function reconnected(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) if (type === 'reconnect') return;
}

describe('a tail that the broker lost', () => {
  let broker: Broker;
  let connection: NatsConnection;
  let folder: string;
  let one: Publisher;
  let other: Publisher;

  beforeAll(async () => {
    broker = await Broker.start();
    connection = await broker.connect();
  }, 120_000);
  beforeEach(async () => {
    const jsm = await jetstreamManager(connection);
    for await (const { config } of jsm.streams.list()) await jsm.streams.delete(config.name);
    await ensureStreams(jsm);
    folder = mkdtempSync(join(tmpdir(), 'retrace-tail-'));
    one = await new Publisher(connection, join(folder, 'one')).open();
    other = await new Publisher(connection, join(folder, 'other')).open();
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
    rmSync(folder, { recursive: true });
  });
  afterAll(() => broker.stop());

  const crash = async (meanwhile: () => Promise<void>): Promise<void> => {
    const back = reconnected(connection);
    await broker.kill();
    await meanwhile();
    await broker.restart();
    // What is asked before is dropped, and waits for its time-out.
    await back;
    const jsm = await jetstreamManager(connection, { checkAPI: false });
    await eventually(() => jsm.streams.info('RETRACE'));
  };
  const keepStore = () => crash(() => broker.keepStore());
  const putBackStore = (aside?: (connection: NatsConnection) => Promise<void>) =>
    crash(async () => {
      await broker.putBackStore();
      if (aside) await broker.aside(aside);
    });
  /** The ids in the log, place by place: read with the plain client. */
  const ids = async (): Promise<string[]> => {
    const jsm = await jetstreamManager(connection);
    const { last_seq } = (await jsm.streams.info('RETRACE')).state;
    const messages = Array.from({ length: last_seq }, (_, i) => jsm.streams.getMessage('RETRACE', { seq: i + 1 }));
    return (await Promise.all(messages)).map((message) => message!.header.get('ce-id'));
  };
  const whole = () => Promise.all([one.tail.whenWhole(), other.tail.whenWhole()]);

  it('stands where it stood, whoever published what, pages too, before anything new', async () => {
    await one.append(3);
    await other.append(3);
    await keepStore();
    for (let i = 0; i < 20; i++) {
      await one.append(1 + (i % 3), { causationid: newId('int') });
      await other.append(1 + (i % 2));
      if (i === 10) await one.log.append(aLargeEvent(1_200));
    }
    const before = await ids();
    await putBackStore();
    const [later] = await other.append(1);
    await whole();
    expect(await ids()).toEqual([...before, later!.id]);
    expect([...one.movedFrom, ...other.movedFrom]).toEqual([]);
  });

  it('is put back by processes that were dead meanwhile, and that alone is', async () => {
    await one.append(2);
    await keepStore();
    await other.append(2);
    await one.append(2);
    const before = await ids();
    await Promise.all([one.close(), other.close()]);
    await putBackStore();
    await Promise.all([one.open(), other.open()]);
    await whole();
    expect(await ids()).toEqual(before);
    await Promise.all([one.close(), other.close()]);
    await Promise.all([one.open(), other.open()]);
    await whole();
    expect(await ids()).toEqual(before);
  });

  it('goes behind what took its places, once each, effects after their causes', async () => {
    const [first] = await one.append(1);
    await keepStore();
    const [cause] = await one.append(1);
    const [effect] = await other.append(1, { causationid: cause!.id });
    const [last] = await one.append(1, { causationid: effect!.id });
    const foreign = newId('evt');
    await one.close();
    await putBackStore(async (beside) => {
      const meta = headers();
      meta.set('ce-id', foreign);
      await jetstream(beside).publish('retrace.event.1.a.b.c.d', 'x', { headers: meta });
    });
    await one.open();
    await whole();
    expect(await ids()).toEqual([first, { id: foreign }, cause, effect, last].map((event) => event!.id));
    expect([one.movedFrom, other.movedFrom]).toEqual([[2], [1]]);
  });

  it('is found where it came to stand, by whoever looked for it further on', async () => {
    await one.append(1);
    await keepStore();
    await one.append(10);
    const [event] = await one.append(1);
    await putBackStore(async (beside) => {
      await jetstream(beside).publish('retrace.event.1.a.b.c.d', 'x');
    });
    await whole();
    expect(await appendOnce(one.log, event!, 1_000)).toBe(13);
    expect(await ids()).toHaveLength(13);
  });

  it('comes back without what nobody remembers, after a while', async () => {
    await one.append(1);
    await keepStore();
    const plain = await JetStreamEventLog.open(connection);
    await plain.append(anEvent());
    const [kept] = await one.append(1);
    await putBackStore();
    await whole();
    expect((await ids()).slice(1)).toEqual([kept!.id]);
  });

  it('has what a process published whose answer never came', async () => {
    await one.append(1);
    await keepStore();
    const { log, tail } = one;
    const stored = jest.spyOn(tail, 'publishing').mockImplementation((messages, bodies) => {
      const publishing = RememberedTail.prototype.publishing.call(tail, messages, bodies);
      return { ...publishing, stored: () => undefined };
    });
    const event = anEvent();
    await log.append(event);
    stored.mockRestore();
    await one.close();
    await putBackStore();
    await one.open();
    await whole();
    expect((await ids())[1]).toBe(event.id);
    await one.close();
    await one.open();
    await whole();
    expect(await ids()).toHaveLength(2);
  });

  it('is forgotten in time, and by its size', async () => {
    await one.close();
    await one.open({ windowMs: 60_000, maxBytes: 6 * 64 * 1024 });
    await one.append(64);
    await keepStore();
    const before = await ids();
    await one.append(1_000);
    await putBackStore();
    await whole();
    const after = await ids();
    expect(after.slice(0, 64)).toEqual(before);
    expect(after.length).toBeGreaterThan(64 + 64);
    expect(after.length).toBeLessThan(64 + 900);
    expect(one.troubles).toContainEqual(expect.stringContaining('more of the log may be lost than is remembered'));
  });
});
