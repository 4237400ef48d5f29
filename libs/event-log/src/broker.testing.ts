import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { findNatsServer, launchNatsServer, type NatsServerHandle } from '@retrace/platform';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { ensureStreams } from './streams.js';

/** Asks again until `check` holds, and says what it last said where it never does. */
export async function eventually(check: () => unknown, ms = 20_000): Promise<void> {
  const deadline = Date.now() + ms;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(5);
    }
  }
}

/** A nats-server without accounts, its store in a folder that can be copied away and put back. */
export class Broker {
  private readonly open: NatsConnection[] = [];

  private constructor(
    private readonly folder: string,
    private server: NatsServerHandle,
  ) {}

  static async start(): Promise<Broker> {
    const folder = await mkdtemp(join(tmpdir(), 'retrace-broker-'));
    const configuration = `jetstream { store_dir: ${JSON.stringify(join(folder, 'js'))} }\n`;
    await writeFile(join(folder, 'nats.conf'), configuration);
    return new Broker(folder, await launch(folder, -1));
  }

  async connect(): Promise<NatsConnection> {
    const options = { maxReconnectAttempts: -1, reconnectTimeWait: 20, reconnectJitter: 5, timeout: 2_000 };
    const connection = await connect({ servers: this.server.url, ...options });
    this.open.push(connection);
    return connection;
  }

  /** A connection to a broker with both streams. */
  async withStreams(): Promise<NatsConnection> {
    const connection = await this.connect();
    await ensureStreams(await jetstreamManager(connection));
    return connection;
  }

  kill(): Promise<void> {
    return this.server.kill();
  }

  /** On the same port, with what the store holds now. */
  async restart(): Promise<void> {
    this.server = await launch(this.folder, this.server.port);
  }

  /** Runs it where nobody finds it, with what the store holds now, and ends it again. */
  async aside(work: (connection: NatsConnection) => Promise<void>): Promise<void> {
    const server = await launch(this.folder, -1);
    const connection = await connect({ servers: server.url });
    try {
      await work(connection);
    } finally {
      await connection.close();
      await server.stop();
    }
  }

  /** Copies the store of a server that does not run. */
  async keepStore(): Promise<void> {
    await rm(join(this.folder, 'kept'), { recursive: true, force: true });
    await cp(join(this.folder, 'js'), join(this.folder, 'kept'), { recursive: true });
  }

  async putBackStore(): Promise<void> {
    await rm(join(this.folder, 'js'), { recursive: true });
    await cp(join(this.folder, 'kept'), join(this.folder, 'js'), { recursive: true });
  }

  async stop(): Promise<void> {
    await Promise.all(this.open.map((connection) => connection.close()));
    await this.server.stop();
    await rm(this.folder, { recursive: true });
  }
}

const launch = async (folder: string, port: number): Promise<NatsServerHandle> =>
  launchNatsServer({
    binary: (await findNatsServer()).path,
    configFile: join(folder, 'nats.conf'),
    dataDir: folder,
    logFile: join(folder, 'nats.log'),
    port,
  });
