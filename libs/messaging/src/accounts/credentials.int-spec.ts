import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CredentialStore } from './credentials.js';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('CredentialStore', () => {
  let home: string;
  let folder: string;
  let store: CredentialStore;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'retrace-credentials-'));
    folder = join(home, 'nats');
    store = new CredentialStore(folder);
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it('is empty before anything was written', async () => {
    expect(await store.read()).toEqual({ services: {}, principals: {} });
    expect(await store.listPrincipals()).toEqual([]);
  });

  it('keeps folder and file to their owner, whatever they were before', async () => {
    await store.addPrincipal('writer');
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'credentials.json'), 0o644);
    await store.addPrincipal('reviewer');
    expect([modeOf(folder), modeOf(join(folder, 'credentials.json'))]).toEqual(['700', '600']);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  it('makes passwords of 32 random bytes, each another', async () => {
    await store.addPrincipal('writer');
    await store.ensureServices(['policy', 'execution']);
    const { services, principals } = await store.read();
    const passwords = [...Object.values(services), ...Object.values(principals)].map(({ password }) => password);
    expect(new Set(passwords).size).toBe(3);
    for (const password of passwords) expect(Buffer.from(password, 'base64url')).toHaveLength(32);
  });

  it('keeps what exists when asked again, and adds workspaces to those known', async () => {
    const first = await store.addPrincipal('writer', ['docs']);
    const services = await store.ensureServices(['policy']);
    const again = await store.addPrincipal('writer', ['docs', 'site']);
    expect(again.principals).toEqual({ writer: { ...first.principals.writer, workspaces: ['docs', 'site'] } });
    expect((await store.ensureServices(['policy', 'rollback'])).services.policy).toEqual(services.services.policy);
  });

  it('serves an agent that is called like a property of every object', async () => {
    const { principals } = await store.addPrincipal('constructor');
    expect(principals.constructor).toMatchObject({ password: expect.any(String) });
  });

  it('loses no principal when many are added at once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `agent-${index}`);
    await Promise.all(names.map((name) => new CredentialStore(folder).addPrincipal(name)));
    expect((await store.listPrincipals()).map(({ principal }) => principal)).toEqual(names.toSorted());
  });

  it('takes over the lock of a process that died', async () => {
    await store.addPrincipal('writer');
    const dead = spawn('true');
    await once(dead, 'exit');
    writeFileSync(join(folder, 'credentials.lock'), String(dead.pid));
    await store.addPrincipal('reviewer');
    expect(await store.listPrincipals()).toHaveLength(2);
  });

  it.each(['_', 'Writer', 'a.b', '../x', ''])('refuses the name %j and writes nothing', async (name) => {
    await expect(store.addPrincipal(name)).rejects.toMatchObject({ code: 'principal_invalid' });
    await expect(store.writeCredentialFile(home, name)).rejects.toMatchObject({ code: 'principal_invalid' });
    expect(await store.read()).toEqual({ services: {}, principals: {} });
  });

  it.each([
    '{ not json',
    '{"services":{},"principals":{"writer":{"password":"short","created_at":"2026-01-01T00:00:00Z"}}}',
  ])('refuses a damaged file and leaves it as it is', async (text) => {
    await store.addPrincipal('writer');
    writeFileSync(join(folder, 'credentials.json'), text);
    await expect(store.addPrincipal('reviewer')).rejects.toMatchObject({ code: 'credentials_invalid' });
    expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).toBe(text);
  });

  it('writes what one client needs to connect, for its owner alone', async () => {
    const { principals } = await store.addPrincipal('_op-ada');
    const path = await store.writeCredentialFile(join(home, 'out'), '_op-ada', 'nats://127.0.0.1:4222');
    expect([path, modeOf(path), modeOf(join(home, 'out'))]).toEqual([join(home, 'out/_op-ada.json'), '600', '700']);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      url: 'nats://127.0.0.1:4222',
      principal: '_op-ada',
      user: '_op-ada',
      password: principals['_op-ada']?.password,
      inbox_prefix: '_INBOX._op-ada',
    });
  });

  it('writes no credential file for a principal that was not added', async () => {
    await expect(store.writeCredentialFile(home, 'stranger')).rejects.toMatchObject({ code: 'principal_invalid' });
  });
});
