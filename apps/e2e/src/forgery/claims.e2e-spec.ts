import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenOperation } from '@retrace/client';
import type { IntentId, LogicalOperationId, OperationId } from '@retrace/contracts';
import { deriveId, newId } from '@retrace/event-log';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { treeOf } from '@retrace/testing';
import { Outcomes } from './outcomes.js';
import { Scene } from './scene.js';

const scene = new Scene();
jest.setTimeout(60_000);

/** Of honest: what others name as if it were theirs. */
let used: OperationId;
let done: LogicalOperationId;
let intent: IntentId;
let open: OpenOperation;
let plan: string;
let operatorsPlan: string;

beforeAll(async () => {
  await scene.open();
  const { session, honest } = scene;
  const applied = await session.write('public/mine.md', 'mine\n', { reason: 'to be claimed' });
  used = applied.operations[0]!.operation_id;
  done = applied.logicalOperationId;
  intent = applied.intentId;
  open = await session.begin({ reason: 'filled by honest alone' });
  const selection = { by: 'logical_operation', logical_operation_id: done } as const;
  plan = (await honest.undoPlan(selection)).plan_hash;
  const operator = await scene.connectSdk('_op-local', 'notes');
  operatorsPlan = (await operator.undoPlan(selection, { force: true })).plan_hash;
}, 120_000);
afterAll(() => scene.close(), 60_000);

const intentOf = (type: string, fields: object) =>
  ({ type, intent_id: newId('int'), ...fields }) as { intent_id: string };
const mkdir = (path: string, more: object = {}) => ({ action: 'mkdir', operation_id: newId('op'), path, ...more });

/** An agent that has a session of its own. */
async function acting(role: 'thief' | '_op-ada') {
  const outcomes = await Outcomes.of(await scene.as(role));
  const session_id = newId('ses');
  const send = (type: string, fields: object) => outcomes.send('notes', intentOf(type, fields));
  await send('session.open', { session_id, task: 'claim' });
  return { send, session_id, outcomes };
}

describe.each(['thief', '_op-ada'] as const)('%s', (role) => {
  let me: Awaited<ReturnType<typeof acting>>;
  let before: Record<string, string>;
  beforeAll(async () => {
    me = await acting(role);
    before = treeOf(scene.folder);
  });

  it.each<[string, string, () => object, string]>([
    [
      'write in honest’s session',
      'operation.apply',
      () => ({ session_id: scene.session.id, operations: [mkdir('public/x')] }),
      'not_your_session',
    ],
    ['complete honest’s session', 'session.complete', () => ({ session_id: scene.session.id }), 'not_your_session'],
    [
      'open honest’s session once more',
      'session.open',
      () => ({ session_id: scene.session.id, task: 't' }),
      'session_exists',
    ],
    [
      'begin in honest’s session',
      'operation.open',
      () => ({ session_id: scene.session.id, logical_operation_id: newId('lop') }),
      'not_your_session',
    ],
    [
      'begin what honest has open',
      'operation.open',
      () => ({ session_id: me.session_id, logical_operation_id: open.id }),
      'logical_operation_exists',
    ],
    [
      'begin what honest has done',
      'operation.open',
      () => ({ session_id: me.session_id, logical_operation_id: done }),
      'logical_operation_exists',
    ],
    [
      'add to what honest has open',
      'operation.apply',
      () => ({ session_id: me.session_id, logical_operation_id: open.id, operations: [mkdir('public/x')] }),
      'unknown_logical_operation',
    ],
    [
      'add to it in honest’s session',
      'operation.apply',
      () => ({ session_id: scene.session.id, logical_operation_id: open.id, operations: [mkdir('public/x')] }),
      'not_your_session',
    ],
    [
      'commit what honest has open',
      'operation.commit',
      () => ({ session_id: me.session_id, logical_operation_id: open.id }),
      'unknown_logical_operation',
    ],
    [
      'abort what honest has open',
      'operation.abort',
      () => ({ session_id: me.session_id, logical_operation_id: open.id }),
      'unknown_logical_operation',
    ],
    [
      'abort it in honest’s session',
      'operation.abort',
      () => ({ session_id: scene.session.id, logical_operation_id: open.id }),
      'not_your_session',
    ],
    [
      'use an operation id of honest’s',
      'operation.apply',
      () => ({ session_id: me.session_id, operations: [mkdir('public/x', { operation_id: used })] }),
      'duplicate_operation_id',
    ],
    [
      'use an operation id that services derive',
      'operation.apply',
      () => ({ session_id: me.session_id, operations: [mkdir('public/x', { operation_id: deriveId('op', used) })] }),
      'malformed_intent',
    ],
    [
      'use a session id that is derived',
      'session.open',
      () => ({ session_id: deriveId('ses', 'x'), task: 't' }),
      'malformed_intent',
    ],
  ])('cannot %s', async (_, type, fields, code) => {
    expect(await me.send(type, fields())).toMatchObject({ type: 'intent.denied', code });
    expect(treeOf(scene.folder)).toEqual(before);
  });

  it('is taken for itself, whoever it says it is', async () => {
    const claims = { principal: 'honest', agent: '_op-local', workspace: 'next-door', authorized: true, attempt: 9 };
    const provenance = { parent_operation: used };
    const path = `public/by-${role}`;
    const sequence = await scene.log.lastSequence();
    const operations = [mkdir(path, claims)];
    const end = await me.send('operation.apply', { session_id: me.session_id, operations, provenance, ...claims });
    expect(end.type).toBe('operation.applied');
    expect(await scene.log.added(sequence)).toEqual([`intent.authorized ${role}`, `operation.applied ${role}`]);
    before = treeOf(scene.folder);
  });

  it('cannot withdraw what honest has waiting', async () => {
    const waiting = { action: 'create', operation_id: newId('op'), path: 'public/slow.md', size: 5 };
    const text = Buffer.from('slow\n');
    const content_hash = deriveId('op', role, 'x')
      .replace(/[^0-9a-f]/g, '')
      .padEnd(64, '0');
    const honest = await Outcomes.of(await scene.as('honest'));
    const slow = intentOf('operation.apply', {
      session_id: scene.session.id,
      operations: [{ ...waiting, content_hash, size: text.length }],
    });
    const client = await scene.as('honest');
    await client.request('retrace.intent.notes.honest', JSON.stringify(slow));
    const other = await scene.as(role);
    const withdraw = intentOf('withdraw', { withdrawn_intent_id: slow.intent_id });
    await other.request(`retrace.intent.notes.${role}`, JSON.stringify(withdraw));
    // It is decided after the withdrawal was read, and not by it; honest’s own ends it.
    await me.send('session.complete', { session_id: newId('ses') });
    expect(honest.heard.some(({ headers }) => headers?.get('ce-correlationid') === slow.intent_id)).toBe(false);
    const own = intentOf('withdraw', { withdrawn_intent_id: slow.intent_id });
    await client.request('retrace.intent.notes.honest', JSON.stringify(own));
    expect(await honest.of(slow.intent_id)).toMatchObject({ code: 'withdrawn' });
  });

  it('has an intent of its own under honest’s intent id', async () => {
    const fields = {
      intent_id: intent,
      session_id: me.session_id,
      operations: [mkdir('public/x', { operation_id: used })],
    };
    expect(await me.send('operation.apply', fields)).toMatchObject({ code: 'duplicate_operation_id' });
    expect(await scene.honest.outcome(intent)).toMatchObject({ status: 'applied' });
  });
});

describe('a plan', () => {
  it.each(['honest', 'operator'])('of %s is not run, and not shown, to the thief', async (whose) => {
    const plan_hash = whose === 'honest' ? plan : operatorsPlan;
    const { send } = await acting('thief');
    expect(await send('rollback', { plan_hash })).toMatchObject({
      type: 'intent.denied',
      code: expect.stringMatching(/^(not_yours|unknown_plan)$/),
    });
    const thief = await scene.as('thief');
    for (const call of ['plan.get', 'plan.steps', 'plan.diff']) {
      const body = JSON.stringify({ plan_hash, from: 0, path: 'public/mine.md' });
      expect((await thief.request(`retrace.rpc.thief.notes.${call}`, body)).verdict).toBe('unknown_plan');
    }
    expect(readFileSync(join(scene.folder, 'public/mine.md'), 'utf8')).toBe('mine\n');
  });

  it('of what honest did is not made by the thief', async () => {
    const thief = await scene.as('thief');
    const body = JSON.stringify({ selection: { by: 'logical_operation', logical_operation_id: done } });
    expect((await thief.request('retrace.rpc.thief.notes.plan.make', body)).verdict).toMatch(
      /^(not_yours|nothing_selected)$/,
    );
  });

  it('is run by who made it', async () => {
    const honest = await Outcomes.of(await scene.as('honest'));
    const end = await honest.send('notes', intentOf('rollback', { plan_hash: plan }));
    expect(end.type).toBe('operation.applied');
    expect(Object.keys(treeOf(scene.folder))).not.toContain('public/mine.md');
  });
});

describe.each(['neighbour', 'stranger'] as const)('%s', (role) => {
  it.each([
    'session.open',
    'session.complete',
    'operation.apply',
    'operation.open',
    'operation.commit',
    'operation.abort',
    'rollback',
  ])('has %s denied where it is no member', async (type) => {
    const outcomes = await Outcomes.of(await scene.as(role));
    const fields = {
      session_id: scene.session.id,
      logical_operation_id: open.id,
      plan_hash: plan,
      task: 't',
      operations: [mkdir('public/x')],
    };
    expect(await outcomes.send('notes', intentOf(type, fields))).toMatchObject({ code: 'not_a_member' });
  });
});

it('leaves honest to go on with all of it', async () => {
  await open.write('public/late.md', 'late\n', { reason: 'still mine' });
  await open.commit();
  expect((await scene.honest.read('public/late.md')).text()).toBe('late\n');
  await scene.session.complete();
});
