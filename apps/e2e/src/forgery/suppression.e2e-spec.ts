import type { IntentId } from '@retrace/contracts';
import { deriveId, newId } from '@retrace/event-log';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Headers, PlainClient } from './plain-client.js';
import { Scene } from './scene.js';
import { APPLIED } from './subjects.js';

const scene = new Scene();
jest.setTimeout(60_000);

beforeAll(() => scene.open(), 120_000);
afterAll(() => scene.close(), 60_000);

/** The ids of the events that an intent of honest's will have, for whoever knows its id beforehand. */
const foretold = (intentId: IntentId) => {
  const decision = deriveId('evt', 'notes', 'honest', intentId, 1, 'decision');
  const ids = [decision, deriveId('evt', decision, 'outcome'), deriveId('evt', decision, 'stale')];
  return { ids, all: [intentId, ...ids, ...ids.flatMap((id) => [`${id}/1`, `${id}/2`])] };
};

const work = async (intentId: IntentId) =>
  scene.session.write(`public/${intentId}.md`, `of ${intentId}\n`, { reason: 'honest work', intentId });

async function expectWhole(before: number, ids: readonly string[]): Promise<void> {
  const events = await scene.log.after(before);
  const own = events.filter(({ subject }) => subject.includes('.honest.'));
  expect(own.map(({ headers }) => headers['ce-id'])).toEqual(ids.slice(0, 2));
  expect(own.map(({ subject }) => subject.split('.').at(-1))).toEqual(['authorized', 'applied']);
}

describe.each(['thief', 'stranger', '_op-ada'])('%s takes the message ids of honest’s next events', (role) => {
  it('with intents of its own', async () => {
    const client = await scene.as(role);
    const intentId = newId('int');
    const { ids, all } = foretold(intentId);
    const before = await scene.log.lastSequence();
    for (const id of all) await client.publish(`retrace.intent.notes.${role}`, '', { headers: { 'Nats-Msg-Id': id } });
    await work(intentId);
    await expectWhole(before, ids);
  });

  it('with calls', async () => {
    const client = await scene.as(role);
    const intentId = newId('int');
    const { ids, all } = foretold(intentId);
    const before = await scene.log.lastSequence();
    for (const id of all) await client.request(`retrace.rpc.${role}.notes.query.status`, '{}', { 'Nats-Msg-Id': id });
    await work(intentId);
    await expectWhole(before, ids);
  });

  it('with an intent that has honest’s intent id, or asks for an operation id that only services make', async () => {
    const client = await scene.as(role);
    const intentId = newId('int');
    const { ids } = foretold(intentId);
    const before = await scene.log.lastSequence();
    const same = { type: 'session.complete', intent_id: intentId, session_id: scene.session.id };
    await client.request(`retrace.intent.notes.${role}`, JSON.stringify(same));
    const named = { ...same, intent_id: deriveId('int', 'x') };
    await client.request(`retrace.intent.notes.${role}`, JSON.stringify(named));
    await scene.log.until(before + 2);
    await work(intentId);
    await expectWhole(before, ids);
  });
});

describe('headers that the door would act on', () => {
  let client: PlainClient;
  beforeAll(async () => {
    client = await scene.as('thief');
  });
  const DOOR = 'retrace.intent.notes.thief';

  it.each<[string, Headers]>([
    ['empty it', { 'Nats-Rollup': 'all' }],
    ['empty one’s own part of it', { 'Nats-Rollup': 'sub' }],
    ['have it wait for a batch', { 'Nats-Batch-Id': 'b', 'Nats-Batch-Sequence': '1' }],
    ['commit a batch', { 'Nats-Batch-Id': 'b', 'Nats-Batch-Sequence': '1', 'Nats-Batch-Commit': '1' }],
    ['have a message vanish', { 'Nats-TTL': '1s' }],
    ['have it send later, elsewhere', { 'Nats-Schedule': '@every 1s', 'Nats-Schedule-Target': APPLIED }],
    ['count', { 'Nats-Incr': '1' }],
    ['expect another stream', { 'Nats-Expected-Stream': 'RETRACE' }],
    ['expect a sequence', { 'Nats-Expected-Last-Sequence': '999999999' }],
    ['expect a message id', { 'Nats-Expected-Last-Msg-Id': 'x' }],
  ])('to %s: refused, and nobody’s intent is lost', async (_, headers) => {
    const before = await scene.log.lastSequence();
    const { body } = await client.request(DOOR, '', headers);
    expect(JSON.parse(body)).toMatchObject({ error: { description: expect.any(String) } });
    const intentId = newId('int');
    await work(intentId);
    await expectWhole(before, foretold(intentId).ids);
    expect(await scene.log.added(before)).toHaveLength(2);
  });

  it.each<[string, Headers]>([
    [
      'claim to be an event',
      { 'ce-id': newId('evt'), 'ce-type': 'retrace.operation.applied.v1', 'ce-source': 'retrace/execution' },
    ],
    ['claim to come from the server', { 'Nats-Request-Info': '{"acc":"P_honest"}', 'Nats-Sequence': '1' }],
  ])('that %s: an unreadable intent of its own, and no more', async (_, headers) => {
    const before = await scene.log.lastSequence();
    await client.publish(DOOR, '', { headers });
    await scene.log.until(before + 1);
    expect(await scene.log.added(before)).toEqual(['message.rejected thief']);
  });

  it('that it be traced into the log: not taken at all', async () => {
    const before = await scene.log.lastSequence();
    await client.publish(DOOR, '', { headers: { 'Nats-Trace-Dest': APPLIED } });
    await work(newId('int'));
    expect(await scene.log.added(before)).toEqual(['intent.authorized honest', 'operation.applied honest']);
  });

  it('is taken without them', async () => {
    expect(JSON.parse((await client.request(DOOR, '')).body)).toMatchObject({ stream: 'RETRACE_IN' });
  });
});

describe('a service that takes the message id of another’s next event', () => {
  it.each(['snapshot', 'projection', 'rollback'] as const)('%s keeps no event out of the log', async (name) => {
    const service = await scene.service(name);
    const intentId = newId('int');
    const { ids, all } = foretold(intentId);
    const own = APPLIED.replace('operation.applied', 'message.rejected');
    const before = await scene.log.lastSequence();
    for (const id of all) await service.request(own, '{}', { 'Nats-Msg-Id': id });
    await work(intentId);
    const found = (await scene.log.after(before)).filter(({ headers }) => ids.includes(headers['ce-id'] as never));
    expect(found.map(({ subject }) => subject.split('.').at(-1))).toEqual(['authorized', 'applied']);
  });
});
