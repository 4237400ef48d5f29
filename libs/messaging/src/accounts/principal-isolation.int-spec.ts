import * as platform from '@retrace/platform';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { AccountBus, listen, watchRefusals, store } from './account-bus.testing.js';

const EVENT = 'retrace.event.7.docs.writer.operation.applied';

describe('an account per principal', () => {
  let bus: AccountBus;
  let writer: NatsConnection;
  let reviewer: NatsConnection;
  let execution: NatsConnection;

  beforeAll(async () => {
    bus = await AccountBus.start(platform, ['writer', 'reviewer', '_op-ada', '123', 'constructor']);
    [writer, reviewer, execution] = await Promise.all([
      bus.principal('writer'),
      bus.principal('reviewer'),
      bus.service('execution'),
    ]);
    execution.subscribe('retrace.rpc.*.*.fs.*', {
      queue: 'fs',
      callback: (_, message) => {
        for (const part of ['one', 'two', 'three']) message.respond(part);
      },
    });
    await execution.flush();
  }, 120_000);
  afterAll(() => bus.stop());

  it('lets an agent publish an intent in its own name and hear that it is stored', async () => {
    const { stream, seq } = await store(writer, 'retrace.intent.docs.writer');
    expect({ stream, seq }).toEqual({ stream: 'RETRACE_IN', seq: 1 });
  });

  it.each(['123', 'constructor', '_op-ada'])('serves a principal called %s', async (name) => {
    const connection = await bus.principal(name);
    expect(await store(connection, `retrace.intent.docs.${name}`)).toMatchObject({ stream: 'RETRACE_IN' });
  });

  it('carries an RPC to its service and one answer back', async () => {
    expect((await writer.request('retrace.rpc.writer.docs.fs.read', 'x')).string()).toBe('one');
  });

  it('carries one answer to a request, and forgets the way back then', async () => {
    const parts = await writer.requestMany('retrace.rpc.writer.docs.fs.read', 'x', { maxMessages: 3, maxWait: 300 });
    const texts: string[] = [];
    for await (const part of parts) texts.push(part.string());
    expect(texts).toEqual(['one']);
  });

  it('shows outcomes to their agent and to operators, with their sequence, and to nobody else', async () => {
    const operator = await bus.principal('_op-ada');
    const own = listen(writer, 'retrace.out.*.writer.>');
    const others = listen(reviewer, 'retrace.out.*.reviewer.>');
    const all = listen(operator, 'retrace.out.>');
    await Promise.all([writer.flush(), reviewer.flush(), operator.flush()]);

    const { seq } = await store(execution, EVENT, '"done"');

    const outcome = { subject: 'retrace.out.docs.writer.operation.applied', text: '"done"', sequence: String(seq) };
    expect(await own.settled()).toEqual([outcome]);
    expect(await all.settled()).toEqual([outcome]);
    expect(await others.settled()).toEqual([]);
  });

  it.each([
    ['an intent in the name of another', 'retrace.intent.docs.reviewer'],
    ['a call in the name of another', 'retrace.rpc.reviewer.docs.fs.read'],
    ['a call between services', 'retrace.svc.docs.fs.facts'],
    ['an event', EVENT],
    ['an outcome', 'retrace.out.docs.reviewer.operation.applied'],
    ['a JetStream request', '$JS.API.INFO'],
    ['a JetStream deletion', '$JS.API.STREAM.DELETE.RETRACE'],
    ['a reply to another', '_INBOX.reviewer.x'],
    ['an answer to a service', '_R_.x'],
  ])('refuses an agent that publishes %s', async (_, subject) => {
    const before = [await bus.lastSequence('RETRACE'), await bus.lastSequence('RETRACE_IN')];
    const agent = await bus.principal('writer');
    const refusals = watchRefusals(agent);
    agent.publish(subject, '{}');
    expect(await refusals()).toEqual([expect.stringContaining(`Publish to "${subject}"`)]);
    expect([await bus.lastSequence('RETRACE'), await bus.lastSequence('RETRACE_IN')]).toEqual(before);
  });

  it.each([
    'retrace.out.*.reviewer.>',
    'retrace.out.>',
    'retrace.>',
    'retrace.intent.>',
    '_INBOX.>',
    '_INBOX.reviewer.>',
    '>',
    '$SYS.>',
  ])('refuses an agent that subscribes to %s', async (subject) => {
    const agent = await bus.principal('writer');
    const { refusals } = listen(agent, subject);
    expect(await refusals()).toEqual([expect.stringContaining(`Subscription to "${subject}"`)]);
  });

  describe('with a reply subject that the agent chose', () => {
    const chosen = [
      EVENT,
      'retrace.out.docs.reviewer.operation.applied',
      '_INBOX.reviewer.x',
      'retrace.intent.docs.reviewer',
    ];

    it.each(chosen)('%s: the acknowledgement of an intent lands nowhere', async (reply) => {
      const log = await bus.lastSequence('RETRACE');
      const door = await bus.lastSequence('RETRACE_IN');
      const seen = listen(reviewer, 'retrace.out.*.reviewer.>');
      const inbox = listen(reviewer, '_INBOX.reviewer.x');
      writer.publish('retrace.intent.docs.writer', '{}', { reply });
      await writer.flush();
      expect([...(await seen.settled()), ...(await inbox.settled())]).toEqual([]);
      expect(await bus.lastSequence('RETRACE')).toBe(log);
      expect(await bus.lastSequence('RETRACE_IN')).toBe(door + 1);
    });

    it.each(chosen)('%s: the answers of a service land nowhere', async (reply) => {
      const before = [await bus.lastSequence('RETRACE'), await bus.lastSequence('RETRACE_IN')];
      const seen = listen(reviewer, 'retrace.out.*.reviewer.>');
      const inbox = listen(reviewer, '_INBOX.reviewer.x');
      writer.publish('retrace.rpc.writer.docs.fs.read', 'x', { reply });
      await writer.flush();
      expect([...(await seen.settled()), ...(await inbox.settled())]).toEqual([]);
      expect([await bus.lastSequence('RETRACE'), await bus.lastSequence('RETRACE_IN')]).toEqual(before);
    });
  });

  it('lets no trace request write an event', async () => {
    const before = await bus.lastSequence('RETRACE');
    const traced = headers();
    traced.set('Nats-Trace-Dest', EVENT);
    writer.publish('retrace.intent.docs.writer', '{}', { headers: traced });
    writer.publish('retrace.rpc.writer.docs.fs.read', '{}', { headers: traced });
    await writer.flush();
    await listen(writer, '_INBOX.writer.x').settled();
    expect(await bus.lastSequence('RETRACE')).toBe(before);
  });

  it('lets nobody in without credentials or with those of another', async () => {
    const nobody = { user: undefined, pass: undefined };
    await expect(bus.principal('writer', nobody)).rejects.toThrow(/authorization/i);
    await expect(bus.principal('writer', { user: 'reviewer' })).rejects.toThrow(/authorization/i);
  });
});
