import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '@retrace/contracts';
import type { NatsConnection } from '@nats-io/transport-node';
import { inboxPrefixOf } from '../accounts/credential-table.js';
import { CredentialStore } from '../accounts/credentials.js';
import type { ServiceUser } from '../accounts/service-permissions.js';
import { CallClient } from '../calls/call-client.js';
import { connectBus } from '../connect-bus.js';
import { LOCAL_OPERATOR, type RetraceHome, retraceHome } from '../home/retrace-home.js';
import { type Bus, type BusOptions, startBus } from '../home/start-bus.js';
import type { ServiceSettings } from './service-definition.js';

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

/** A lock that a spec opens by hand. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** A home folder with a bus that runs, and connections to it under any name. */
export class ServiceBed {
  private readonly open: NatsConnection[] = [];

  private constructor(
    readonly home: RetraceHome,
    readonly bus: Bus,
  ) {}

  static async start(options: BusOptions = {}): Promise<ServiceBed> {
    const home = retraceHome({}, await mkdtemp(join(tmpdir(), 'retrace-service-')));
    return new ServiceBed(home, await startBus(home, options));
  }

  async stop(): Promise<void> {
    await Promise.all(this.open.map((connection) => connection.close()));
    await this.bus.stop();
    await rm(this.home.folder, { recursive: true });
  }

  settings(service: ServiceUser): ServiceSettings {
    return { url: this.bus.url, ...this.bus.credentials(service), dataDir: this.home.data };
  }

  connect(service: ServiceUser): Promise<NatsConnection> {
    return this.keep(connectBus({ url: this.bus.url, ...this.bus.credentials(service) }));
  }

  async asService(service: ServiceUser): Promise<CallClient> {
    return CallClient.forService(await this.connect(service));
  }

  async asOperator(principal: Principal = LOCAL_OPERATOR): Promise<CallClient> {
    const { password } = (await new CredentialStore(this.home.nats).read()).principals[principal]!;
    const inboxPrefix = inboxPrefixOf(principal);
    const connection = await this.keep(connectBus({ url: this.bus.url, user: principal, password, inboxPrefix }));
    return CallClient.forPrincipal(connection, principal);
  }

  private async keep(connecting: Promise<NatsConnection>): Promise<NatsConnection> {
    const connection = await connecting;
    this.open.push(connection);
    return connection;
  }
}
