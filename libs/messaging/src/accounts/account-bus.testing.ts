import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { DiscardPolicy, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { inboxPrefixOf, parsePrincipal } from './credential-table.js';
import { CredentialStore } from './credentials.js';
import { renderAccounts } from './accounts-config.js';
import { replacePrivateFile } from './private-file.js';
import { SERVICE_USERS, type ServiceUser } from './service-permissions.js';

type Server = { readonly url: string; reload(): void; stop(): Promise<void> };
type Files = { binary: string; configFile: string; dataDir: string; logFile: string };
type ConfigInput = Record<'host' | 'storeDir' | 'serverName' | 'portsFileDir' | 'accountsFile', string> & {
  port: number;
  syncAlways: boolean;
};

/** The launcher of @retrace/platform, handed in by the spec: this library does not depend on that one. */
export type Launcher = {
  readonly findNatsServer: () => Promise<{ path: string }>;
  readonly renderServerConfig: (config: ConfigInput) => string;
  readonly launchNatsServer: (files: Files) => Promise<Server>;
};

const launch = async ({ findNatsServer, renderServerConfig, launchNatsServer }: Launcher, dataDir: string) => {
  const places = { storeDir: join(dataDir, 'js'), portsFileDir: join(dataDir, 'run'), accountsFile: 'accounts.conf' };
  const config = renderServerConfig({ port: -1, host: '127.0.0.1', serverName: 'spec', syncAlways: false, ...places });
  const files = { configFile: join(dataDir, 'nats.conf'), logFile: join(dataDir, 'nats.log') };
  await writeFile(files.configFile, config);
  return launchNatsServer({ binary: (await findNatsServer()).path, dataDir, ...files });
};

/** What must not arrive is given this long to arrive on the same machine. */
const QUIET_MS = 50;

/** A server with our accounts and streams, and connections under any name. */
export class AccountBus {
  readonly store: CredentialStore;
  private readonly open: NatsConnection[] = [];

  private constructor(
    readonly folder: string,
    readonly server: Server,
  ) {
    this.store = new CredentialStore(folder);
  }

  static async start(launcher: Launcher, principals: readonly string[]): Promise<AccountBus> {
    const folder = await mkdtemp(join(tmpdir(), 'retrace-accounts-'));
    const store = new CredentialStore(folder);
    await store.ensureServices(SERVICE_USERS);
    for (const name of principals) await store.addPrincipal(name);
    await replacePrivateFile(join(folder, 'accounts.conf'), renderAccounts(await store.read()));
    const bus = new AccountBus(folder, await launch(launcher, folder));
    await bus.createStreams();
    return bus;
  }

  async stop(): Promise<void> {
    await Promise.all(this.open.map((connection) => connection.close()));
    await this.server.stop();
    await rm(this.folder, { recursive: true });
  }

  async principal(name: string, options: ConnectionOptions = {}): Promise<NatsConnection> {
    const principal = parsePrincipal(name);
    const { password } = (await this.store.read()).principals[principal]!;
    return this.connect({ user: principal, pass: password, inboxPrefix: inboxPrefixOf(principal), ...options });
  }

  async service(name: ServiceUser): Promise<NatsConnection> {
    const { user, password } = (await this.store.read()).services[name]!;
    return this.connect({ user, pass: password });
  }

  async lastSequence(stream: 'RETRACE' | 'RETRACE_IN'): Promise<number> {
    const manager = await jetstreamManager(await this.service('setup'));
    return (await manager.streams.info(stream)).state.last_seq;
  }

  private async connect(options: ConnectionOptions): Promise<NatsConnection> {
    const connection = await connect({ servers: this.server.url, reconnect: false, ...options });
    this.open.push(connection);
    return connection;
  }

  private async createStreams(): Promise<void> {
    const { streams } = await jetstreamManager(await this.service('setup'));
    const file = { storage: StorageType.File };
    const limits = { discard: DiscardPolicy.New, max_msgs_per_subject: 1_000, discard_new_per_subject: true };
    await streams.add({ ...file, name: 'RETRACE_IN', subjects: ['retrace.intent.>'], ...limits, max_msgs: 100_000 });
    const republish = {
      src: 'retrace.event.*.*.*.>',
      dest: 'retrace.out.{{wildcard(2)}}.{{wildcard(3)}}.>',
    };
    const kept = { deny_delete: true, deny_purge: true, allow_direct: true };
    await streams.add({ ...file, name: 'RETRACE', subjects: ['retrace.event.>'], ...kept, republish });
  }
}

/** Subscribes and collects: `settled` is what has arrived after a while, `refusals` what the server said to the subscription. */
export const listen = (connection: NatsConnection, subject: string) => {
  const received: { subject: string; text: string; sequence: string | undefined }[] = [];
  const problems: string[] = [];
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error) problems.push(error.message);
      else
        received.push({
          subject: message.subject,
          text: message.string(),
          sequence: message.headers?.get('Nats-Sequence'),
        });
    },
  });
  const settled = async () => {
    await connection.flush();
    await sleep(QUIET_MS);
    return received;
  };
  const refusals = async () => {
    await connection.flush();
    return problems;
  };
  return { settled, refusals };
};

/** Publishes to a stream and waits for its acknowledgement. */
export const store = (connection: NatsConnection, subject: string, text = '{}') =>
  jetstream(connection).publish(subject, text, { timeout: 2_000 });

/** Watches what the server refuses a connection; the function answers with everything up to now. */
export const watchRefusals = (connection: NatsConnection) => {
  const errors: string[] = [];
  void (async () => {
    for await (const status of connection.status()) if (status.type === 'error') errors.push(status.error.message);
  })();
  return async (): Promise<string[]> => {
    await connection.flush(); // the refusal came before the answer to this one, but passes through an iterator
    await setImmediate();
    return errors;
  };
};
