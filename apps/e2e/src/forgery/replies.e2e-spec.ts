import { newId } from '@retrace/event-log';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { treeOf } from '@retrace/testing';
import { type Attempt, attempts, subjectOf } from './calls.js';
import type { PlainClient } from './plain-client.js';
import { Scene } from './scene.js';
import { APPLIED } from './subjects.js';
import { type Victim, workInSecret } from './victim.js';

const scene = new Scene();
jest.setTimeout(60_000);
let victim: Victim;

beforeAll(async () => {
  await scene.open();
  victim = await workInSecret(scene);
}, 120_000);
afterAll(() => scene.close(), 60_000);

/** Where an answer, or an acknowledgement, would be taken for somebody's word. */
const REPLIES = [
  APPLIED,
  'retrace.out.notes.honest.operation.applied',
  'retrace.intent.notes.honest',
  'retrace.rpc.honest.notes.fs.read',
  'retrace.rpc._op-local.notes.policy.publish',
  'retrace.svc.notes.fs.facts',
  '_INBOX.honest.x',
  '_INBOX.x',
  '_R_.x.y',
  '$JS.API.STREAM.DELETE.RETRACE',
  '$JS.API.STREAM.PURGE.RETRACE_IN',
  '$JS.ACK.RETRACE.x.1.1.1.1.0',
  '$SYS.REQ.SERVER.PING',
];

/** Everything that honest and a service hear beside what they asked for. */
async function listening(): Promise<{ heard: () => string[] }> {
  const honest = await scene.as('honest');
  const service = await scene.service('rollback');
  const ears = await Promise.all([
    honest.subscribe('retrace.out.*.honest.>'),
    honest.subscribe('_INBOX.honest.x'),
    service.subscribe('_INBOX.x'),
  ]);
  expect(ears.flatMap(({ refused }) => refused)).toEqual([]);
  return { heard: () => ears.flatMap(({ heard }) => heard.map(({ subject }) => subject)) };
}

/** Each call once: what it answers is enough. With words of its own, so that there is an answer. */
const oneOfEach = (): readonly Attempt[] => [...new Map(attempts(victim.words).map((one) => [one.call, one])).values()];

/** Asks with the chosen reply, then again with one's own: the first is answered by then. */
async function ask(client: PlainClient, attempt: Attempt, reply: string): Promise<void> {
  const subject = subjectOf(client.name, 'notes', attempt);
  await client.publish(subject, attempt.body, { reply, headers: attempt.headers });
  const { verdict } = await client.request(subject, attempt.body, attempt.headers);
  expect([subject, verdict]).not.toEqual([subject, 'TimeoutError']);
}

describe.each(['thief', '_op-ada'])('%s chooses where an answer goes', (role) => {
  it.each(REPLIES)('of every call: %s', async (reply) => {
    const client = await scene.as(role);
    const before = await scene.log.lastSequence();
    const ears = await listening();
    const files = treeOf(scene.folder);
    await Promise.all(oneOfEach().map((attempt) => ask(client, attempt, reply)));
    expect(ears.heard()).toEqual([]);
    // What is added is told of the caller itself; each is of its schema, as no answer would be.
    for (const event of await scene.log.added(before)) expect(event).toMatch(new RegExp(` ${role}$`));
    expect(treeOf(scene.folder)).toEqual(files);
  });

  it.each(REPLIES)('of an intent: %s', async (reply) => {
    const client = await scene.as(role);
    const before = await scene.log.lastSequence();
    const ears = await listening();
    const intent = { type: 'session.open', intent_id: newId('int'), session_id: newId('ses') };
    const refused = [
      ...(await client.publish(`retrace.intent.notes.${role}`, JSON.stringify(intent), { reply })),
      ...(await client.publish(`retrace.intent.notes.${role}`, 'no JSON', { reply })),
    ];
    // The server takes no message at all with a reply subject that is its own.
    const reserved = /^(_R_|\$JS\.ACK)\./.test(reply);
    expect(refused).toHaveLength(reserved ? 2 : 0);
    const recorded = reserved ? [] : [`intent.denied ${role}`, `message.rejected ${role}`];
    await scene.log.until(before + recorded.length);
    expect((await scene.log.added(before)).toSorted()).toEqual(recorded);
    expect(ears.heard()).toEqual([]);
  });

  it('and hears it where it is its own', async () => {
    const client = await scene.as(role);
    const { heard } = await client.subscribe(`_INBOX.${role}.mine`);
    await client.publish(`retrace.rpc.${role}._.policy.ping`, '{}', { reply: `_INBOX.${role}.mine` });
    await client.publish(`retrace.intent.notes.${role}`, '', { reply: `_INBOX.${role}.mine` });
    await client.request(`retrace.rpc.${role}._.policy.ping`);
    await client.request(`retrace.intent.notes.${role}`, '');
    expect(heard).toHaveLength(2);
  });

  it('which may be a call or the door again: one answer, and an end', async () => {
    const client = await scene.as(role);
    const [call, door] = [`retrace.rpc.${role}._.policy.ping`, `retrace.intent.notes.${role}`];
    const before = await scene.log.lastSequence();
    for (const [subject, reply] of [
      [call, call],
      [call, door],
      [door, call],
      [door, door],
    ] as const)
      await client.publish(subject, 'no JSON', { reply });
    // Two intents; no answer went on to become a call or an intent.
    await scene.log.until(before + 2);
    await client.request(call);
    expect(await scene.log.added(before)).toEqual(Array(2).fill(`message.rejected ${role}`));
  });
});

it('leaves the honest agent at work', async () => {
  await scene.session.write('secret/after.md', 'still here\n', { reason: 'works' });
  expect((await scene.honest.read('secret/after.md')).text()).toBe('still here\n');
});
