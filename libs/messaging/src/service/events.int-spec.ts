import 'reflect-metadata';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import {
  type EventEnvelope,
  IntentIdSchema,
  MemberAdded,
  MessageRejected,
  OperationFailed,
  PrincipalSchema,
  WorkspaceNameSchema,
} from '@retrace/contracts';
import { type EventLog, JetStreamEventLog, newId, TerminalError } from '@retrace/event-log';
import { aLargeEvent } from '@retrace/event-log/testing';
import { Logger } from '@nestjs/common';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { eventually, gate, ServiceBed } from './bed.testing.js';
import type { RunningService } from './service-definition.js';
import { startService } from './start-service.js';
import { Tried, triedService } from './tried-service.testing.js';

jest.setTimeout(60_000);

const SUBJECT = 'retrace.event.18.docs.writer.member.added';
const member = (name: string): EventEnvelope<typeof MemberAdded> => ({
  id: newId('evt'),
  type: MemberAdded.type,
  source: 'retrace/policy',
  time: new Date().toISOString(),
  workspace: WorkspaceNameSchema.parse('docs'),
  agent: PrincipalSchema.parse('writer'),
  data: { member: PrincipalSchema.parse(name), added_by: PrincipalSchema.parse('_op-me') },
});

describe('a service that handles events', () => {
  let bed: ServiceBed;
  let connection: NatsConnection;
  let log: EventLog;
  let tried: Tried;
  let service: RunningService;
  let from = 1;

  beforeAll(async () => {
    // Retries and rejections are told on purpose here.
    Logger.overrideLogger(false);
    bed = await ServiceBed.start();
    connection = await bed.connect('policy');
    log = await JetStreamEventLog.open(connection);
  }, 120_000);
  beforeEach(async () => {
    tried = new Tried();
    from = (await log.lastSequence()) + 1;
    tried.positions.set('18', { sequence: from - 1, eventId: (await log.idAt(from - 1)) ?? '' });
    if (from === 1) tried.positions.clear();
    service = await startService(triedService(tried), bed.settings('policy'));
  });
  afterEach(() => service.close());
  afterAll(() => bed.stop());

  const names = () => tried.members.map((event) => event.data.member);
  const rejections = async () => {
    const found = [];
    for await (const event of log.read({ fromSequence: from, filters: ['retrace.event.*.*.*.message.rejected'] }))
      if (event.type === MessageRejected.type)
        found.push({ agent: event.agent, workspace: event.workspace, ...event.data });
    return found;
  };
  /** Publishes what no publisher of ours would. */
  const publishRaw = (body: string, changed: Record<string, string> = {}, subject = SUBJECT) => {
    const raw = headers();
    const id = newId('evt');
    const meta = { 'ce-id': id, 'ce-type': MemberAdded.type, 'ce-source': 'x', 'ce-time': new Date().toISOString() };
    for (const [name, value] of Object.entries({ ...meta, ...changed })) if (value) raw.set(name, value);
    return jetstream(connection).publish(subject, body, { headers: raw });
  };

  it('gets them decoded, in order, each when the one before is done', async () => {
    let open = 0;
    tried.onMember = async () => {
      expect(open++).toBe(0);
      await new Promise(setImmediate);
      open -= 1;
    };
    const events = ['a', 'b', 'c', 'd'].map(member);
    for (const event of events) await log.append(event);
    await eventually(() => expect(tried.members).toHaveLength(4));
    expect(tried.members).toEqual(events.map((event, i) => ({ ...event, sequence: from + i })));
  });

  it('gets an event that is too large for one message as one, at the place of its last page', async () => {
    const rollbackLog = await JetStreamEventLog.open(await bed.connect('rollback'));
    const large = aLargeEvent(10_000, 'docs');
    const { sequence } = await rollbackLog.append(large);
    expect(sequence).toBeGreaterThan(from + 10);
    await log.append(member('a'));
    await eventually(() => expect(names()).toEqual(['a']));
    expect(tried.reports).toEqual([{ ...large, sequence }]);
    expect(await rejections()).toEqual([]);
  });

  it('gets an event again until it is handled', async () => {
    const attempts: number[] = [];
    tried.onMember = async (_, { attempt }) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error('the store is busy');
    };
    await log.append(member('a'));
    await eventually(() => expect(names()).toEqual(['a']));
    expect(attempts).toEqual([1, 2, 3]);
    expect(await rejections()).toEqual([]);
  });

  it('rejects what its handler calls hopeless, tells the log why, and goes on', async () => {
    tried.onMember = async ({ data }) => {
      if (data.member === 'bad') throw new TerminalError('not_for_us', 'a word on it');
    };
    const bad = member('bad');
    await log.append(bad);
    await log.append(member('good'));
    await eventually(() => expect(names()).toEqual(['good']));
    expect(await rejections()).toEqual([
      {
        service: 'policy',
        stream: 'RETRACE',
        sequence: from,
        subject: SUBJECT,
        rejected_event_id: bad.id,
        reason: 'not_for_us',
        message: 'a word on it',
        agent: '_',
        workspace: 'docs',
      },
    ]);
  });

  it.each([
    ['a body that is no JSON', '{', {}, 'bad_json'],
    ['data of another shape', '{"member":7}', {}, 'bad_request'],
    ['a version nobody knows', '{}', { 'ce-type': 'retrace.member.added.v99' }, 'unknown_type'],
    ['the type of another event', '{}', { 'ce-type': 'retrace.operation.applied.v1' }, 'bad_subject'],
    ['no id', '{}', { 'ce-id': '' }, 'no_event_id'],
  ])('rejects an event with %s, and goes on', async (_, body, changed, reason) => {
    await publishRaw(body, changed);
    await log.append(member('good'));
    await eventually(() => expect(names()).toEqual(['good']));
    expect(await rejections()).toMatchObject([{ sequence: from, reason }]);
  });

  it('passes by what it has no handler for', async () => {
    await publishRaw('not even JSON', {}, 'retrace.event.18.docs.writer.policy.published');
    await log.append(member('a'));
    await eventually(() => expect(names()).toEqual(['a']));
    expect(await rejections()).toEqual([]);
  });

  it('reads intents once it asks for them, and rejects the malformed in the name of their sender', async () => {
    const operator = (await bed.asOperator())['connection' as never] as NatsConnection;
    const js = jetstream(operator);
    const intent = {
      type: 'session.complete',
      intent_id: IntentIdSchema.parse(newId('int')),
      session_id: newId('ses'),
    };
    await js.publish('retrace.intent.docs._op-local', '{"type":"none"}');
    await js.publish('retrace.intent.docs._op-local', JSON.stringify(intent));
    await log.append(member('a'));
    await eventually(() => expect(names()).toEqual(['a']));
    expect(tried.intents).toEqual([]);
    await tried.context.openIntents();
    await eventually(() => expect(tried.intents).toEqual(['session.complete']));
    expect(await rejections()).toMatchObject([
      { stream: 'RETRACE_IN', reason: 'malformed_intent', agent: '_op-local' },
    ]);
  });

  it('ends the handler that runs before it closes, and keeps its position', async () => {
    const running = gate();
    let started = false;
    tried.onMember = () => {
      started = true;
      return running.passed;
    };
    await log.append(member('a'));
    await eventually(() => expect(started).toBe(true));
    const closing = service.close();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(tried.closed).toEqual([]);
    running.open();
    await closing;
    expect(names()).toEqual(['a']);
    expect(tried.positions.get('18')?.sequence).toBe(from);
    expect(tried.closed).toEqual(['store']);
  });

  it('goes on over a bus that was killed and started again', async () => {
    await log.append(member('a'));
    await eventually(() => expect(names()).toEqual(['a']));
    const { pid, url } = bed.bus;
    process.kill(pid!, 'SIGKILL');
    await eventually(() => expect(bed.bus.pid).not.toBe(pid));
    expect(bed.bus.url).toBe(url);
    await eventually(() => log.append(member('b')));
    await eventually(() => expect(names().at(-1)).toBe('b'));
  });

  it('is told at once what it may not write', async () => {
    const forbidden = { ...member('a'), type: OperationFailed.type, data: FAILED } as unknown as EventEnvelope;
    await expect(log.append(forbidden)).rejects.not.toMatchObject({ code: 'append_unknown' });
  });
});

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';
const FAILED = {
  logical_operation_id: `lop_${UUID}`,
  kind: 'operation',
  intent_id: `int_${UUID}`,
  session_id: null,
  rollback_id: null,
  part: 1,
  authorized_by: { sequence: 3, event_id: `evt_${UUID}` },
  epoch: 1,
  code: 'io',
  message: 'm',
  failed_at: null,
  path: null,
  expected: null,
  found: null,
  needs_attention: [],
};
