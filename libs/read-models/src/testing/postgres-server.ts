import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PostgresClient } from '../postgres-client.js';
import { findPostgres, type PostgresBinaries } from './find-postgres.js';

const run = promisify(execFile);

/** A real PostgreSQL on a free loopback port, in a folder that goes with it. */
export class PostgresServer {
  private databases = 0;

  private constructor(
    private readonly folder: string,
    private readonly server: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(): Promise<PostgresServer> {
    const binaries = await findPostgres();
    const account = await accountOf();
    const folder = await mkdtemp(join(tmpdir(), 'retrace-postgres-'));
    if (account) await chown(folder, account.uid, account.gid);
    const options = { ...account, cwd: folder, env: environmentOf(binaries) };
    const data = join(folder, 'data');
    const initdb = ['-D', data, '-U', 'retrace', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8'];
    await run(join(binaries.folder, 'initdb'), initdb, options);
    const port = await freePort();
    const settings = ['fsync=off', 'full_page_writes=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=`];
    const parameters = [...settings, 'max_connections=60'].flatMap((setting) => ['-c', setting]);
    const server = spawn(join(binaries.folder, 'postgres'), ['-D', data, '-p', String(port), ...parameters], {
      ...options,
      stdio: 'ignore',
    });
    const started = new PostgresServer(folder, server, port);
    await started.answers();
    return started;
  }

  /** Makes an empty database; answers its address. */
  async database(): Promise<string> {
    const name = `spec_${(this.databases += 1)}`;
    await this.asAdministrator((client) => client.query(`CREATE DATABASE ${name}`));
    return this.url(name);
  }

  /** Ends all connections but those that are being made. */
  async disconnectAll(): Promise<void> {
    await this.asAdministrator((client) =>
      client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
      ),
    );
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.server.once('exit', resolve));
    // Immediate: the folder goes anyhow.
    if (this.server.exitCode === null && this.server.kill('SIGQUIT')) await gone;
    await rm(this.folder, { recursive: true, force: true });
  }

  private url(database: string): string {
    return `postgres://retrace@127.0.0.1:${this.port}/${database}`;
  }

  private async asAdministrator(work: (client: PostgresClient) => Promise<unknown>): Promise<void> {
    const client = new PostgresClient({ connectionString: this.url('postgres') });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }

  private async answers(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.asAdministrator((client) => client.query('SELECT 1'));
      } catch (error) {
        if (this.server.exitCode !== null || tries > 600)
          throw new Error(`PostgreSQL ended with ${this.server.exitCode} while starting`, { cause: error });
        await sleep(50);
      }
    }
  }
}

/** PostgreSQL refuses to run as root: `nobody` runs it then. */
async function accountOf(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (what) => Number((await run('id', [what, 'nobody'])).stdout)),
  );
  return { uid: uid!, gid: gid! };
}

const environmentOf = ({ libraries }: PostgresBinaries): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  ...(libraries !== undefined && { LD_LIBRARY_PATH: libraries }),
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
