import * as platform from '@retrace/platform';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { AccountBus, listen, watchRefusals, store } from './account-bus.testing.js';
import { SERVICE_USERS, type ServiceUser } from './service-permissions.js';

const event = (type: string) => `retrace.event.7.docs.writer.${type}`;

/** One event of each kind that has a single writer, with that writer. */
const WRITERS: Readonly<Record<string, ServiceUser>> = {
  'intent.authorized': 'policy',
  'intent.denied': 'policy',
  'session.opened': 'policy',
  'policy.published': 'policy',
  'member.added': 'policy',
  'rollback.authorized': 'policy',
  'operation.applied': 'execution',
  'operation.failed': 'execution',
  'intent.stale': 'execution',
  'workspace.registered': 'execution',
  'external.changed': 'execution',
  'access.refused': 'execution',
  'blob.stored': 'snapshot',
  'snapshot.taken': 'snapshot',
  'log.sealed': 'projection',
  'rollback.step_requested': 'rollback',
  'rollback.completed': 'rollback',
  'rollback.failed': 'rollback',
};
const ANSWERS: readonly (readonly [ServiceUser, string])[] = [
  ['policy', 'policy'],
  ['policy', 'confirm'],
  ['execution', 'execution'],
  ['execution', 'fs'],
  ['snapshot', 'snapshot'],
  ['snapshot', 'blob'],
  ['projection', 'projection'],
  ['projection', 'query'],
  ['rollback', 'rollback'],
  ['rollback', 'plan'],
];
const SERVICES = SERVICE_USERS.filter((name) => name !== 'setup');

describe('service users', () => {
  let bus: AccountBus;

  beforeAll(async () => {
    bus = await AccountBus.start(platform, ['writer']);
  }, 120_000);
  afterAll(() => bus.stop());

  it.each(Object.entries(WRITERS))('%s is written by %s and by nobody else', async (type, owner) => {
    expect(await store(await bus.service(owner), event(type))).toMatchObject({ stream: 'RETRACE' });
    const before = await bus.lastSequence('RETRACE');
    for (const name of SERVICE_USERS.filter((other) => other !== owner)) {
      const connection = await bus.service(name);
      const refusals = watchRefusals(connection);
      connection.publish(event(type), '{}');
      expect(await refusals()).toEqual([expect.stringContaining('Permissions Violation')]);
    }
    expect(await bus.lastSequence('RETRACE')).toBe(before);
  });

  it.each(SERVICES)('%s may reject what it was sent', async (name) => {
    expect(await store(await bus.service(name), event('message.rejected'))).toMatchObject({ stream: 'RETRACE' });
  });

  it.each(SERVICES)('%s reads the log in order and by sequence', async (name) => {
    const { seq } = await store(await bus.service('execution'), event('operation.applied'), '"read me"');
    const connection = await bus.service(name);
    const options = {
      opt_start_seq: seq,
      deliver_policy: DeliverPolicy.StartSequence,
      filter_subjects: ['retrace.event.7.>', 'retrace.event.8.>'],
    };
    const consumer = await jetstream(connection).consumers.get('RETRACE', options);
    const first = await consumer.next({ expires: 2_000 });
    expect([first?.seq, first?.string()]).toEqual([seq, '"read me"']);
    const manager = await jetstreamManager(connection);
    expect((await manager.streams.getMessage('RETRACE', { seq }))?.string()).toBe('"read me"');
    expect((await manager.direct.getMessage('RETRACE', { seq }))?.string()).toBe('"read me"');
    expect((await manager.streams.info('RETRACE')).state.last_seq).toBeGreaterThanOrEqual(seq);
  });

  it('policy reads intents and makes room for the next ones', async () => {
    const { seq } = await store(await bus.principal('writer'), 'retrace.intent.docs.writer', '"please"');
    const policy = await bus.service('policy');
    const consumer = await jetstream(policy).consumers.get('RETRACE_IN', {
      opt_start_seq: seq,
      deliver_policy: DeliverPolicy.StartSequence,
    });
    expect((await consumer.next({ expires: 2_000 }))?.string()).toBe('"please"');
    const { streams } = await jetstreamManager(policy);
    expect(await streams.purge('RETRACE_IN', { seq: seq + 1 })).toMatchObject({ success: true });
  });

  it.each(SERVICES.filter((name) => name !== 'policy'))('%s cannot read intents', async (name) => {
    const connection = await bus.service(name);
    const manager = await jetstreamManager(connection);
    const config = { name: 'x', ack_policy: AckPolicy.None };
    await expect(manager.consumers.add('RETRACE_IN', config)).rejects.toThrow(/Permissions Violation/);
    await expect(manager.streams.getMessage('RETRACE_IN', { seq: 1 })).rejects.toThrow(/Permissions Violation/);
    const smuggled = { stream_name: 'RETRACE_IN', config: { ack_policy: 'none', deliver_policy: 'all' } };
    const answer = await connection.request('$JS.API.CONSUMER.CREATE.RETRACE', JSON.stringify(smuggled));
    expect(answer.json()).toMatchObject({ error: { description: expect.stringContaining('match') } });
    const { refusals } = listen(connection, 'retrace.intent.>');
    expect(await refusals()).toEqual([expect.stringContaining('Permissions Violation')]);
  });

  it.each(SERVICE_USERS)('%s cannot delete from the log, or the log', async (name) => {
    const connection = await bus.service(name);
    const refusals = watchRefusals(connection);
    const verbs = ['STREAM.DELETE', 'STREAM.PURGE', 'STREAM.MSG.DELETE'];
    for (const verb of verbs) connection.publish(`$JS.API.${verb}.RETRACE`, '{"seq":1}');
    expect(await refusals()).toHaveLength(verbs.length);
  });

  it.each(ANSWERS)('%s answers %s, for principals and for services', async (owner, called) => {
    const [service, caller, agent] = [
      await bus.service(owner),
      await bus.service('rollback'),
      await bus.principal('writer'),
    ];
    for (const subject of [`retrace.rpc.*.*.${called}.*`, `retrace.svc.*.${called}.*`])
      service.subscribe(subject, { queue: called, callback: (_, message) => void message.respond(owner) });
    await service.flush();
    expect((await agent.request(`retrace.rpc.writer._.${called}.ping`)).string()).toBe(owner);
    expect((await caller.request(`retrace.svc._.${called}.ping`)).string()).toBe(owner);
  });

  it.each(ANSWERS)('only %s may answer %s', async (owner, called) => {
    for (const name of SERVICE_USERS.filter((other) => other !== owner)) {
      const { refusals } = listen(await bus.service(name), `retrace.rpc.*.*.${called}.*`);
      expect(await refusals()).toEqual([expect.stringContaining('Permissions Violation')]);
    }
  });

  it('lets no service have another write an event that neither may write', async () => {
    const projection = await bus.service('projection');
    projection.subscribe('retrace.svc.*.query.*', { callback: (_, message) => void message.respond('forged') });
    await projection.flush();
    const before = await bus.lastSequence('RETRACE');
    const snapshot = await bus.service('snapshot');
    snapshot.publish('retrace.svc._.query.status', '{}', { reply: event('operation.applied') });
    await snapshot.flush();
    await listen(projection, '_INBOX.x').settled();
    expect(await bus.lastSequence('RETRACE')).toBe(before);
  });
});
