import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findNatsServer } from './find-nats-server.js';
import { launchNatsServer, type NatsServerHandle } from './launch-nats-server.js';
import { renderServerConfig } from './nats-config.js';

const greets = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', (data) => {
      resolve(data.toString().startsWith('INFO '));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('launchNatsServer', () => {
  let binary: string;
  let folder: string;
  let started: NatsServerHandle[];

  beforeAll(async () => {
    binary = (await findNatsServer()).path;
  }, 120_000);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-launch-'));
    started = [];
  });
  afterEach(async () => {
    await Promise.all(started.map((server) => server.kill()));
    rmSync(folder, { recursive: true });
  });

  /** One server with a folder of its own, named in every path by a blank and quotes to prove the quoting. */
  const launch = async (name: string, port?: number): Promise<NatsServerHandle> => {
    const dataDir = join(folder, `${name} "data"`);
    mkdirSync(dataDir, { recursive: true });
    const paths = { storeDir: join(dataDir, 'js'), portsFileDir: join(dataDir, 'run'), accountsFile: 'accounts.conf' };
    const config = { port: -1, host: '127.0.0.1', serverName: name, syncAlways: true, ...paths };
    writeFileSync(join(dataDir, 'nats.conf'), renderServerConfig(config));
    writeFileSync(join(dataDir, 'accounts.conf'), '');
    const files = { configFile: join(dataDir, 'nats.conf'), logFile: join(dataDir, 'logs', 'nats.log') };
    const server = await launchNatsServer({ binary, dataDir, ...files, ...(port && { port }) });
    started.push(server);
    return server;
  };

  it('starts on a free port and can be connected to when it resolves', async () => {
    const [a, b] = await Promise.all([launch('a'), launch('b')]);
    expect(a.port).not.toBe(b.port);
    expect(a.url).toBe(`nats://127.0.0.1:${a.port}`);
    expect(await greets(a.port)).toBe(true);
    expect(readFileSync(join(folder, 'a "data"', 'logs', 'nats.log'), 'utf8')).toContain('Server is ready');
  });

  it('leaves no process behind a stop, which may be repeated', async () => {
    const server = await launch('a');
    await Promise.all([server.stop(), server.stop()]);
    await server.kill();
    server.reload();
    expect(isAlive(server.pid)).toBe(false);
    expect(await greets(server.port)).toBe(false);
  });

  it('tells how a killed server ended', async () => {
    const server = await launch('a');
    await server.kill();
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('starts again on the same data and port after a kill', async () => {
    const first = await launch('a');
    await first.kill();
    const second = await launch('a', first.port);
    expect(second.port).toBe(first.port);
    expect(await greets(second.port)).toBe(true);
  });

  it('ends a server that was left on the same folder before it starts one: two would share a store', async () => {
    const orphan = await launch('a');
    const next = await launch('a');
    expect(isAlive(orphan.pid)).toBe(false);
    expect((await orphan.exited).code).not.toBeNull();
    const again = await launch('a', next.port);
    expect(isAlive(next.pid)).toBe(false);
    expect(again.port).toBe(next.port);
  });

  it('names a busy port and does not touch the one who has it', async () => {
    const { port } = await launch('a');
    const message = expect.stringMatching(new RegExp(`Port ${port} .*NATS_URL`));
    await expect(launch('b', port)).rejects.toMatchObject({ code: 'port_in_use', message });
    expect(await greets(port)).toBe(true);
  });

  it('shows the end of the log when the configuration is refused', async () => {
    const dataDir = join(folder, 'broken');
    mkdirSync(dataDir);
    const files = { configFile: join(dataDir, 'nats.conf'), logFile: join(dataDir, 'nats.log') };
    writeFileSync(files.configFile, 'no_auth_user: nobody\n');
    const message = expect.stringContaining('no_auth_user');
    await expect(launchNatsServer({ binary, dataDir, ...files })).rejects.toMatchObject({
      code: 'nats_server_not_ready',
      message,
    });
  });

  it('says so when the binary is not there', async () => {
    const missing = { binary: join(folder, 'none'), configFile: 'x', dataDir: folder, logFile: join(folder, 'log') };
    await expect(launchNatsServer(missing)).rejects.toMatchObject({ code: 'nats_server_missing' });
  });

  it('keeps its port and its clients over a reload', async () => {
    const server = await launch('a');
    const socket = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('data', resolve));
    server.reload();
    socket.write('CONNECT {"verbose":false}\r\nPING\r\n');
    const pong = await new Promise((resolve) =>
      socket.on('data', (data) => /PONG/.test(String(data)) && resolve(true)),
    );
    expect(pong).toBe(true);
    expect(await greets(server.port)).toBe(true);
    socket.destroy();
  });

  it('is in a process group of its own, so that Ctrl-C reaches the services first', async () => {
    const { pid } = await launch('a');
    expect(
      execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)])
        .toString()
        .trim(),
    ).toBe(String(pid));
  });
});
