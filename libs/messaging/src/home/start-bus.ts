import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { RetraceError } from '@retrace/contracts';
import { ensureStreams, INTENT_BYTES } from '@retrace/event-log';
import { findNatsServer, launchNatsServer, type NatsServerHandle, renderServerConfig } from '@retrace/platform';
import type { CredentialTable } from '../accounts/credential-table.js';
import { CredentialStore } from '../accounts/credentials.js';
import { keepPort, lastPort } from './last-port.js';
import { SERVICE_USERS, type ServiceUser } from '../accounts/service-permissions.js';
import { connectBus } from '../connect-bus.js';
import type { Durability } from '../service/service-definition.js';
import { LOCAL_OPERATOR, type RetraceHome } from './retrace-home.js';

export interface BusOptions {
  /** -1 takes a free one, or the one of the last time. */
  readonly port?: number;
  readonly durability?: Durability;
  /** A NATS server that runs already and includes our accounts: none is started. */
  readonly url?: string | undefined;
  readonly onRestart?: (why: string) => void;
  /** The server runs again, as another process. */
  readonly onRestarted?: (pid: number) => void;
}

export interface Bus {
  readonly url: string;
  /** Of the server now; it changes when a server that died was started again. `null` for a server given by URL. */
  readonly pid: number | null;
  credentials(service: ServiceUser): { user: string; password: string };
  stop(): Promise<void>;
}

/**
 * Brings the bus up: credentials, accounts, server, streams. A server of ours that dies is started again on the same
 * port and store; clients reconnect by themselves. Rejects, with nothing left running, when it cannot come up.
 */
export async function startBus(home: RetraceHome, options: BusOptions = {}): Promise<Bus> {
  await mkdir(home.folder, { recursive: true, mode: 0o700 });
  await chmod(home.folder, 0o700);
  const store = new CredentialStore(home.nats);
  await store.ensureServices(SERVICE_USERS);
  const table = await store.addPrincipal(LOCAL_OPERATOR);
  await store.writeAccounts(join(home.nats, 'accounts.conf'));
  const server = options.url === undefined ? await Supervised.start(home, options) : undefined;
  const url = server?.url ?? options.url!;
  try {
    await setUpStreams(url, table, options.url !== undefined, home);
    await Promise.all(
      Object.keys(table.principals).map((principal) => store.writeCredentialFile(home.credentials, principal, url)),
    );
  } catch (error) {
    await server?.stop();
    throw error;
  }
  return {
    url,
    get pid() {
      return server?.pid ?? null;
    },
    credentials: (service) => table.services[service]!,
    stop: async () => server?.stop(),
  };
}

/** JetStream: "insufficient storage resources available". */
const NO_STORAGE = 10047;

const noStorage = (home: RetraceHome, cause: unknown): RetraceError =>
  new RetraceError(
    'no_space',
    `the bus needs ${INTENT_BYTES / 1024 / 1024} MiB free (it uses three quarters of what is free) for ${home.nats}; free space, or set RETRACE_HOME elsewhere`,
    { cause },
  );

async function setUpStreams(url: string, table: CredentialTable, given: boolean, home: RetraceHome): Promise<void> {
  const setup = table.services.setup!;
  const unknownToServer = (cause?: unknown): RetraceError => {
    const accounts = join(home.nats, 'accounts.conf');
    return new RetraceError(
      'unavailable',
      `the NATS server at ${url} does not know our accounts (or is not there): include ${accounts} in its configuration and reload it`,
      { cause },
    );
  };
  const connection = await connectBus({ url, ...setup, name: 'retrace/setup' }).catch((cause: unknown) => {
    throw given ? unknownToServer(cause) : cause;
  });
  try {
    // A server without accounts takes any name and password: subjects would say nothing about who sends.
    if (!connection.info?.auth_required) throw unknownToServer();
    await ensureStreams(await jetstreamManager(connection)).catch((cause: unknown) => {
      throw (cause as { code?: unknown }).code === NO_STORAGE ? noStorage(home, cause) : cause;
    });
  } finally {
    await connection.close();
  }
}

/** Where no port is asked for, the last one is taken again, unless somebody else has it now. */
async function launchWhere(
  home: RetraceHome,
  asked: number,
  launch: (port: number) => Promise<NatsServerHandle>,
): Promise<NatsServerHandle> {
  const last = asked === FREE_PORT ? await lastPort(home) : asked;
  try {
    return await launch(last);
  } catch (error) {
    const taken = (error as { code?: unknown }).code === 'port_in_use';
    if (!taken || asked !== FREE_PORT || last === FREE_PORT) throw error;
    return launch(FREE_PORT);
  }
}

const FREE_PORT = -1;
const RESTART_PAUSE_MS = 250;

/** A server child that is started again when it dies without being asked to. */
class Supervised {
  private stopping = false;
  private starting: Promise<void> | undefined;

  private constructor(
    private server: NatsServerHandle,
    private readonly launch: (port: number) => Promise<NatsServerHandle>,
    private readonly onRestart: (why: string) => void,
    private readonly onRestarted: (pid: number) => void,
  ) {
    this.watch();
  }

  static async start(
    home: RetraceHome,
    { port = FREE_PORT, durability, onRestart, onRestarted }: BusOptions,
  ): Promise<Supervised> {
    const { path } = await findNatsServer();
    const configFile = join(home.nats, 'nats.conf');
    const launch = async (at: number): Promise<NatsServerHandle> => {
      await writeFile(configFile, configOf(home, at, durability), { mode: 0o600 });
      return launchNatsServer({
        binary: path,
        configFile,
        dataDir: home.nats,
        logFile: join(home.logs, 'nats-server.log'),
        port: at,
      });
    };
    const server = await launchWhere(home, port, launch);
    await keepPort(home, server.port);
    return new Supervised(server, launch, onRestart ?? (() => undefined), onRestarted ?? (() => undefined));
  }

  get url(): string {
    return this.server.url;
  }

  get pid(): number {
    return this.server.pid;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.server.stop();
    await this.starting;
  }

  private watch(): void {
    this.starting = this.server.exited.then(({ code, signal }) => {
      if (this.stopping) return undefined;
      this.onRestart(`nats-server ended (${signal ?? code}); starting it again`);
      return this.again();
    });
  }

  private async again(): Promise<void> {
    while (!this.stopping) {
      try {
        this.server = await this.launch(this.server.port);
        // Asked to stop while it was starting: the stop waits for this promise.
        if (this.stopping) return await this.server.stop();
        this.onRestarted(this.server.pid);
        return this.watch();
      } catch (error) {
        this.onRestart(`nats-server does not start: ${String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, RESTART_PAUSE_MS));
      }
    }
  }
}

const configOf = (home: RetraceHome, port: number, durability: Durability = 'process'): string =>
  renderServerConfig({
    port,
    host: '127.0.0.1',
    serverName: 'retrace',
    storeDir: join(home.nats, 'js'),
    portsFileDir: join(home.nats, 'run'),
    accountsFile: 'accounts.conf',
    syncAlways: durability === 'power',
  });
