import { createServer } from 'node:net';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Retrace } from '@retrace/client';
import {
  BlobHashSchema,
  intentSubject,
  type OperationRequest,
  PrincipalSchema,
  WorkspaceNameSchema,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { connectBus } from '@retrace/messaging';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addWorkspace, eventually, processesNaming, RetraceSystem, treeOf } from '@retrace/testing';

describe('bad input to a running system', () => {
  const system = new RetraceSystem('standalone');
  let folder: string;
  let before: Record<string, string>;
  let writer: Retrace;
  let operator: Retrace;

  beforeAll(async () => {
    await system.start();
    folder = await addWorkspace(system, 'notes', { 'a.md': 'a\n' }, ['writer']);
    before = treeOf(folder);
    writer = await system.connect('writer', 'notes');
    operator = await system.connect('_op-local', 'notes');
  }, 120_000);
  afterAll(async () => {
    await writer?.close();
    await operator?.close();
    await system.dispose();
  }, 60_000);

  const mkdir = (path: string): OperationRequest => ({ action: 'mkdir', operation_id: newId('op'), path });

  it.each([
    ['../outside', 'path_escapes'],
    ['/etc/passwd', 'path_absolute'],
    ['a/../../b', 'path_escapes'],
    ['a\0b', 'path_nul'],
    ['.retrace/staging/x', 'path_control_folder'],
    ['', 'path_empty'],
    ['x'.repeat(256), 'name_too_long'],
    ['.git/config', 'protected_path'],
  ])('denies %j with %s, on record, touching nothing', async (path, code) => {
    const session = await writer.openSession({ task: 'bad paths' });
    await expect(session.apply([mkdir(path)])).rejects.toMatchObject({ name: 'IntentDeniedError', code });
    const { entries } = await writer.log();
    expect(entries.at(-1)).toMatchObject({ status: 'denied', code });
    expect(treeOf(folder)).toEqual(before);
  });

  it('denies an intent for a workspace that nobody knows', async () => {
    const elsewhere = await system.connect('writer', 'nowhere');
    await expect(elsewhere.openSession({ task: 'x' })).rejects.toMatchObject({ code: 'unknown_workspace' });
    await elsewhere.close();
  });

  it('denies an agent that is no member', async () => {
    await addWorkspace(system, 'private', {}, []);
    const elsewhere = await system.connect('writer', 'private');
    await expect(elsewhere.openSession({ task: 'x' })).rejects.toMatchObject({ code: 'not_a_member' });
    await elsewhere.close();
  });

  it('puts malformed intents on record and goes on with the next', async () => {
    const file = readFileSync(join(system.home.credentials, 'writer.json'), 'utf8');
    const { user, password } = JSON.parse(file) as { user: string; password: string };
    const bus = await connectBus({ url: system.url, user, password, inboxPrefix: '_INBOX.writer' });
    const subject = intentSubject(WorkspaceNameSchema.parse('notes'), PrincipalSchema.parse('writer'));
    const intentId = newId('int');
    for (const body of [
      '',
      '{',
      '[]',
      '{"type":"rm -rf"}',
      JSON.stringify({ type: 'operation.apply', intent_id: intentId, operations: 'all' }),
    ])
      bus.publish(subject, body);
    await bus.flush();
    await eventually(async () => expect(await operator.outcome(intentId)).toMatchObject({ status: 'denied' }));
    const session = await writer.openSession({ task: 'still served' });
    await session.mkdir('served');
    await bus.close();
  });

  it('denies what waits for content that never comes, and lets other work of the session pass', async () => {
    const session = await writer.openSession({ task: 'content that never comes' });
    const hash = BlobHashSchema.parse('0'.repeat(64));
    const missing: OperationRequest = {
      action: 'create',
      operation_id: newId('op'),
      path: 'never.md',
      content_hash: hash,
      size: 3,
    };
    const waiting = session.apply([missing], { timeoutMs: 60_000 });
    const verdict = waiting.catch((error: { code?: string }) => error.code);
    await session.mkdir('meanwhile');
    expect(await verdict).toBe('content_missing');
  }, 90_000);

  it('refuses an intent that is too large before it is sent', async () => {
    const session = await writer.openSession({ task: 'too much' });
    await expect(session.apply(Array.from({ length: 10_001 }, (_, i) => mkdir(`d${i}`)))).rejects.toMatchObject({
      name: 'IntentNotSent',
      code: 'too_many_operations',
    });
  });
});

describe('a system that cannot start', () => {
  it('says which port is taken, and leaves nothing running', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const system = new RetraceSystem('standalone');
    await expect(system.start({ RETRACE_PORT: String(port) })).rejects.toThrow(String(port));
    expect(processesNaming(system.home.folder)).toEqual([]);
    server.close();
    await system.dispose();
  }, 60_000);

  it('says how to get a nats-server where there is none', async () => {
    const system = new RetraceSystem('standalone');
    await expect(system.start({ NATS_SERVER_BIN: join(system.folder, 'absent') })).rejects.toThrow(/nats-server/);
    await system.dispose();
  }, 60_000);

  it('says which nats-server is too old', async () => {
    const system = new RetraceSystem('standalone');
    const old = join(system.folder, 'nats-server');
    writeFileSync(old, '#!/bin/sh\necho "nats-server: v2.9.10"\n');
    chmodSync(old, 0o755);
    await expect(system.start({ NATS_SERVER_BIN: old })).rejects.toThrow(/2\.9\.10/);
    await system.dispose();
  }, 60_000);

  it('keeps a second system out of the same folder', async () => {
    const first = new RetraceSystem('standalone');
    await first.start();
    const second = new RetraceSystem('standalone', first.folder);
    await expect(second.start()).rejects.toThrow(/in use by process/);
    await first.dispose();
  }, 60_000);

  it('keeps a second executor out of a workspace, naming the first', async () => {
    const first = new RetraceSystem('standalone');
    await first.start();
    const folder = await addWorkspace(first, 'notes', { 'a.md': 'a\n' }, []);
    const second = new RetraceSystem('standalone');
    await second.start();
    const { status, stderr } = await second.cli('workspace', 'add', folder, '--name', 'notes', '--policy', 'scratch');
    expect(status).toBe(1);
    expect(stderr).toContain(String(first.pid));
    await second.dispose();
    await first.dispose();
  }, 120_000);
});

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it.each(['standalone', 'cluster'] as const)(
    'drains a %s and leaves no process behind',
    async (mode) => {
      const system = new RetraceSystem(mode);
      await system.start();
      const folder = await addWorkspace(system, 'notes', {}, ['writer']);
      const writer = await system.connect('writer', 'notes');
      const session = await writer.openSession({ task: 'work in flight' });
      const sent = Array.from({ length: 20 }, (_, i) =>
        session.create(`f${i}.md`, `${i}\n`, { timeoutMs: 500 }).catch(() => undefined),
      );
      expect(await system.end(signal)).toBe(0);
      await writer.close();
      await Promise.all(sent);
      expect(processesNaming(system.home.folder)).toEqual([]);
      expect(readdirSync(join(folder, '.retrace/staging'))).toEqual([]);
      await system.dispose();
    },
    120_000,
  );
});
