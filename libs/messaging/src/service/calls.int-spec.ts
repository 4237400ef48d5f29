import 'reflect-metadata';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  pingCall,
  PolicyExplain,
  PolicyPublish,
  PolicyShow,
  PrincipalSchema,
  WorkspaceNameSchema,
} from '@retrace/contracts';
import { Logger } from '@nestjs/common';
import { CallClient } from '../calls/call-client.js';
import { LocalCalls } from '../calls/local-calls.js';
import { eventually, ServiceBed } from './bed.testing.js';
import type { RunningService } from './service-definition.js';
import { startService } from './start-service.js';
import { Tried, triedService } from './tried-service.testing.js';

jest.setTimeout(60_000);

const docs = WorkspaceNameSchema.parse('docs');
const publish = (name: string) => ({ name, yaml: '' });

describe('a service that answers calls', () => {
  let bed: ServiceBed;
  let tried: Tried;
  let localCalls: LocalCalls;
  let service: RunningService;
  let operator: CallClient;
  let execution: CallClient;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    bed = await ServiceBed.start();
    [operator, execution] = await Promise.all([bed.asOperator(), bed.asService('execution')]);
  }, 120_000);
  beforeEach(async () => {
    tried = new Tried();
    localCalls = new LocalCalls();
    service = await startService(triedService(tried), { ...bed.settings('policy'), localCalls });
  });
  afterEach(async () => {
    tried.hold.open();
    await service.close();
  });
  afterAll(() => bed.stop());

  it('knows who calls from the subject alone', async () => {
    expect((await operator.call(PolicyShow, docs, {})).name).toBe('_op-local');
    expect((await execution.call(PolicyShow, '_', {})).name).toBe('a service');
    expect(tried.callers).toEqual([
      { principal: '_op-local', workspace: 'docs', service: 'policy', verb: 'show' },
      { principal: undefined, workspace: '_', service: 'policy', verb: 'show' },
    ]);
  });

  it('is handed headers, and the request as its schema reads it', async () => {
    const headers = { 'Retrace-State': 'here' };
    expect((await execution.call(PolicyShow, docs, {}, { headers })).yaml).toBe('here');
    const request = { agent: PrincipalSchema.parse('writer'), class: 'read' as const, path: 'ä/😀', more: 1 };
    const { message } = await operator.call(PolicyExplain, docs, request);
    expect(JSON.parse(message)).toEqual({ agent: 'writer', class: 'read', path: 'ä/😀' });
  });

  it('says that it is there, and since when it is ready', async () => {
    const answer = await operator.call(pingCall('policy'), '_', {});
    expect(answer).toMatchObject({ service: 'policy', pid: process.pid, ready: true });
  });

  describe.each(['over the bus', 'in the same process'])('%s', (way) => {
    const client = (): CallClient =>
      way === 'over the bus' ? execution : CallClient.forService(tried.context.connection, localCalls);

    it('lets an error of ours through, with its details', async () => {
      await expect(client().call(PolicyPublish, docs, publish('refuse'))).rejects.toMatchObject({
        name: 'RetraceError',
        code: 'policy_invalid',
        message: 'line 3: no',
        details: { line: 3 },
      });
    });

    it('refuses a request of another shape before the handler sees it', async () => {
      const bad = { name: 7 } as unknown as ReturnType<typeof publish>;
      await expect(client().call(PolicyPublish, docs, bad)).rejects.toMatchObject({
        name: 'RetraceError',
        code: 'bad_request',
        message: expect.stringContaining('name'),
      });
    });

    it('ends a wait that was limited', async () => {
      await expect(client().call(PolicyPublish, docs, publish('wait'), { timeoutMs: 50 })).rejects.toMatchObject({
        name: 'RetraceError',
        code: 'timeout',
      });
    });
  });

  it('keeps to itself what went wrong inside', async () => {
    const error = await operator.call(PolicyPublish, docs, publish('break')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'internal', message: 'the service failed; its log says why' });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it('says that an answer is too large, and lives', async () => {
    await expect(operator.call(PolicyPublish, docs, publish('large'))).rejects.toMatchObject({
      code: 'reply_too_large',
    });
    await expect(operator.call(PolicyPublish, docs, publish('abc'))).resolves.toEqual({ version: 3, sequence: 1 });
  });

  it.each([
    ['wide', 'too many'],
    ['circular', 'round'],
  ])('leaves out details that cannot travel: %s', async (name, message) => {
    const error = await operator.call(PolicyPublish, docs, publish(name)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'policy_invalid', message, details: undefined });
  });

  it('is not believed when it answers in another shape', async () => {
    await expect(operator.call(PolicyPublish, docs, publish('shapeless'))).rejects.toMatchObject({ code: 'internal' });
  });

  it.each([
    ['no JSON', '{', 'bad_json'],
    ['nothing', '', 'bad_request'],
    ['JSON null', 'null', 'bad_request'],
  ])('refuses a body that is %s', async (_, body, code) => {
    const connection = await bed.connect('execution');
    const reply = await connection.request('retrace.svc.docs.policy.publish', body);
    expect(reply.headers?.get('Retrace-Error')).toBe(code);
  });

  it('refuses a call for a workspace that is none', async () => {
    const connection = await bed.connect('execution');
    const reply = await connection.request('retrace.svc.Docs.policy.show', '{}');
    expect(reply.headers?.get('Retrace-Error')).toBe('bad_subject');
  });

  it('is busy beyond so many calls at once, and answers those it took', async () => {
    const calls = Array.from({ length: 512 }, () => execution.call(PolicyPublish, docs, publish('wait')));
    await eventually(() => expect(tried.waiting).toBe(512));
    await expect(operator.call(PolicyPublish, docs, publish('wait'))).rejects.toMatchObject({ code: 'busy' });
    tried.hold.open();
    expect(await Promise.all(calls)).toHaveLength(512);
    await expect(operator.call(PolicyPublish, docs, publish('abc'))).resolves.toMatchObject({ version: 3 });
  });

  it('never publishes where a caller chose', async () => {
    const connection = await bed.connect('execution');
    for (const reply of ['retrace.event.18.docs._.member.added', '$JS.API.INFO', '_INBOXES.x', undefined])
      connection.publish('retrace.svc.docs.policy.show', '{}', reply === undefined ? {} : { reply });
    await connection.flush();
    await execution.call(PolicyShow, docs, {});
    expect(tried.callers).toHaveLength(1);
  });

  it('is called directly by its like in the same process, the bus not asked', async () => {
    const gone = await bed.connect('execution');
    await gone.close();
    const neighbour = CallClient.forService(gone, localCalls);
    expect((await neighbour.call(PolicyShow, docs, {})).name).toBe('a service');
    await service.close();
    await expect(neighbour.call(PolicyShow, docs, {})).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('answers what it took before it closes, and takes nothing more', async () => {
    const taken = operator.call(PolicyPublish, docs, publish('wait'));
    await eventually(() => expect(tried.waiting).toBe(1));
    const closing = service.close();
    await eventually(() => expect(execution.call(PolicyShow, docs, {})).rejects.toMatchObject({ code: 'unavailable' }));
    expect(tried.closed).toEqual([]);
    tried.hold.open();
    expect(await taken).toEqual({ version: 1, sequence: 1 });
    await closing;
    expect(tried.closed).toEqual(['store']);
  });

  it('is missed with a word on what to do', async () => {
    await expect(operator.call(pingCall('rollback'), '_', {})).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('rollback.ping'),
    });
  });
});
