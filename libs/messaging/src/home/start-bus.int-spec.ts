import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { findNatsServer, launchNatsServer, type NatsServerHandle } from '@retrace/platform';
import { connectBus } from '../connect-bus.js';
import { eventually } from '../service/bed.testing.js';
import { type RetraceHome, retraceHome } from './retrace-home.js';
import { type Bus, startBus } from './start-bus.js';

jest.setTimeout(120_000);

describe('startBus', () => {
  let home: RetraceHome;
  let buses: Bus[];
  beforeEach(async () => {
    buses = [];
    home = retraceHome({}, join(await mkdtemp(join(tmpdir(), 'retrace-bus-')), 'home'));
  });
  afterEach(async () => {
    await Promise.all(buses.map((bus) => bus.stop()));
    await rm(join(home.folder, '..'), { recursive: true });
  });
  const start = async (...[options]: [Parameters<typeof startBus>[1]?]): Promise<Bus> => {
    const bus = await startBus(home, options);
    buses.push(bus);
    return bus;
  };
  const streamsOf = async (bus: Bus): Promise<string[]> => {
    const connection = await connectBus({ url: bus.url, ...bus.credentials('setup') });
    const names = [];
    for await (const { config } of (await jetstreamManager(connection)).streams.list()) names.push(config.name);
    await connection.close();
    return names.toSorted();
  };

  it('brings up streams, and credentials that are nobody else’s to read', async () => {
    const bus = await start();
    expect(await streamsOf(bus)).toEqual(['RETRACE', 'RETRACE_IN']);
    const modes = await Promise.all([home.folder, join(home.credentials, '_op-local.json')].map((path) => stat(path)));
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it('lets nobody in without a name', async () => {
    const { url } = await start();
    await expect(connectBus({ url, user: '', password: '' })).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('keeps names and passwords over a stop and a start', async () => {
    const first = await start();
    const credentials = first.credentials('policy');
    await first.stop();
    const second = await start();
    expect(second.credentials('policy')).toEqual(credentials);
    expect(await streamsOf(second)).toEqual(['RETRACE', 'RETRACE_IN']);
  });

  it('comes back at the address that was given out, unless somebody else has it', async () => {
    const first = await start();
    await first.stop();
    const second = await start();
    expect(second.url).toBe(first.url);
    await second.stop();
    const other = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(other, 'listening');
    expect((await start()).url).not.toBe(first.url);
    other.close();
  });

  it('starts a server that died again, at the same address, and tells', async () => {
    const told: unknown[] = [];
    const bus = await start({ onRestart: (why) => told.push(why), onRestarted: (pid) => told.push(pid) });
    const { url, pid } = bus;
    process.kill(pid!, 'SIGKILL');
    await eventually(() => expect(told).toHaveLength(2));
    expect(told).toEqual([expect.stringContaining('SIGKILL'), bus.pid]);
    expect(bus.pid).not.toBe(pid);
    expect(bus.url).toBe(url);
    expect(await streamsOf(bus)).toEqual(['RETRACE', 'RETRACE_IN']);
  });

  it('stays down when it is stopped while the server is being started again', async () => {
    const bus = await start();
    process.kill(bus.pid!, 'SIGKILL');
    await bus.stop();
    await expect(connectBus({ url: bus.url, ...bus.credentials('setup') })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  describe('with a server that runs already', () => {
    let server: NatsServerHandle;
    afterEach(() => server.stop());
    const launch = async (configuration: string): Promise<string> => {
      const dataDir = await mkdtemp(join(home.folder, '..', 'given-'));
      const configFile = join(dataDir, 'nats.conf');
      await writeFile(configFile, `jetstream { store_dir: ${JSON.stringify(join(dataDir, 'js'))} }\n${configuration}`);
      const { path } = await findNatsServer();
      server = await launchNatsServer({ binary: path, configFile, dataDir, logFile: join(dataDir, 'log') });
      return server.url;
    };

    it.each([
      ['has accounts, but not ours', 'accounts { A: { jetstream: enabled, users: [{ user: a, password: b }] } }'],
      // Such a server lets everybody in, under any name.
      ['has no accounts at all', ''],
    ])('says what to include where it %s', async (_, configuration) => {
      const url = await launch(configuration);
      await expect(startBus(home, { url })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining(`include ${join(home.nats, 'accounts.conf')}`),
      });
    });

    it('uses it once it includes our accounts, and leaves it running', async () => {
      const first = await start();
      await first.stop();
      // The include is relative to the configuration: the given server's lies two folders away.
      const url = await launch(`include "../home/nats/accounts.conf"\n`);
      const bus = await start({ url });
      expect(bus.pid).toBeNull();
      expect(await streamsOf(bus)).toEqual(['RETRACE', 'RETRACE_IN']);
      await bus.stop();
      expect(await streamsOf(bus)).toHaveLength(2);
    });
  });
});
