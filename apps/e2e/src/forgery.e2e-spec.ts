import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventSubject, intentSubject, PrincipalSchema, WorkspaceNameSchema } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { connectBus } from '@retrace/messaging';
import type { NatsConnection } from '@nats-io/transport-node';
import { headers as newHeaders } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addWorkspace, eventually, RetraceSystem, treeOf } from '@retrace/testing';

const notes = WorkspaceNameSchema.parse('notes');
const writer = PrincipalSchema.parse('writer');

/** A plain NATS client with an agent's credentials: no SDK, no good will. */
describe('an agent that forges events', () => {
  const system = new RetraceSystem('standalone');
  let folder: string;
  let bus: NatsConnection;
  let before: Record<string, string>;

  beforeAll(async () => {
    await system.start();
    folder = await addWorkspace(system, 'notes', { 'a.md': 'a\n' }, ['writer']);
    before = treeOf(folder);
    const { user, password } = JSON.parse(readFileSync(join(system.home.credentials, 'writer.json'), 'utf8')) as {
      user: string;
      password: string;
    };
    bus = await connectBus({ url: system.url, user, password, inboxPrefix: '_INBOX.writer' });
  }, 120_000);
  afterAll(async () => {
    await bus?.close();
    await system.dispose();
  }, 60_000);

  const applied = { workspace: notes, agent: writer, entity: 'operation', verb: 'applied' };

  const logged = async (): Promise<number> => {
    const operator = await system.connect('_op-local', 'notes');
    await operator.catchUp();
    const { entries } = await operator.log();
    await operator.close();
    return entries.length;
  };

  const lastSequence = async (): Promise<number> => {
    const operator = await system.connect('_op-local', 'notes');
    await operator.catchUp();
    const { lastSequence: last } = operator;
    await operator.close();
    return last;
  };

  it('changes nothing by publishing an event', async () => {
    const last = await lastSequence();
    bus.publish(eventSubject(applied), '{}');
    await bus.flush();
    expect(await lastSequence()).toBe(last);
  });

  it('changes nothing by an intent whose reply subject is an event: the ack does not land in the log', async () => {
    const last = await lastSequence();
    bus.publish(intentSubject(notes, writer), 'not even JSON', { reply: eventSubject(applied) });
    await bus.flush();
    // The unreadable intent itself is put on record; nothing else is.
    await eventually(async () => expect(await lastSequence()).toBe(last + 1));
    expect(await logged()).toBe(0);
    expect(treeOf(folder)).toEqual(before);
  });

  it.each(['query.log', 'policy.show', 'plan.get', 'blob.get', 'fs.read'])(
    'changes nothing by a call of %s whose reply subject is an event',
    async (call) => {
      const last = await lastSequence();
      bus.publish(`retrace.rpc.writer.notes.${call}`, '{}', { reply: eventSubject(applied) });
      await bus.flush();
      await bus.request('retrace.rpc.writer._.projection.ping', '{}');
      expect(await lastSequence()).toBe(last);
    },
  );

  it('cannot make a real event vanish by using its message id first', async () => {
    const headers = newHeaders();
    headers.set('Nats-Msg-Id', newId('evt'));
    bus.publish(intentSubject(notes, writer), '{"intent_id":"int_x"}', { headers });
    const agent = await system.connect('writer', 'notes');
    const session = await agent.openSession({ task: 'honest work' });
    await session.write('a.md', 'A\n', { reason: 'works' });
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('A\n');
    await agent.close();
  });

  it('cannot reach the administration of the streams', async () => {
    await expect(bus.request('$JS.API.STREAM.INFO.RETRACE', '', { timeout: 1000 })).rejects.toThrow(
      /permission|violation/i,
    );
  });
});
