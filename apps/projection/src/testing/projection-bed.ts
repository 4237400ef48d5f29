import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallDefinition,
  type Principal,
  QueryStatus,
  type StoredEvent,
  type WorkspaceName,
} from '@retrace/contracts';
import { JetStreamEventLog } from '@retrace/event-log';
import {
  type Bus,
  CallClient,
  connectBus,
  CredentialStore,
  inboxPrefixOf,
  LOCAL_OPERATOR,
  LocalCalls,
  type PrincipalCredential,
  type RetraceHome,
  retraceHome,
  type RunningService,
  type ServiceUser,
  startBus,
  startService,
} from '@retrace/messaging';
import type { NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import { projectionService } from '../service.js';

const WRITERS = ['policy', 'execution', 'rollback'] as const satisfies readonly ServiceUser[];

/** Who may write an event: the accounts refuse all others. */
function writerOf({ type }: StoredEvent): (typeof WRITERS)[number] {
  if (/^retrace\.rollback\.(step_requested|completed)\./.test(type)) return 'rollback';
  return /^retrace\.(operation|workspace|access)\.|intent\.stale/.test(type) ? 'execution' : 'policy';
}

/** The service on a real bus with accounts: nobody else runs, events are written as the services that may write them. */
export class ProjectionBed {
  /** The way in for services of the same process. */
  readonly localCalls = new LocalCalls();
  private readonly connections = new Map<string, NatsConnection>();
  private service: RunningService | undefined;
  /** Of the service, added to that of this process while it starts. */
  environment: NodeJS.ProcessEnv = {};

  private constructor(
    private readonly folder: string,
    private readonly home: RetraceHome,
    private bus: Bus,
    private readonly principals: Readonly<Record<string, PrincipalCredential>>,
  ) {}

  static async open(...agents: Principal[]): Promise<ProjectionBed> {
    const folder = await mkdtemp(join(tmpdir(), 'retrace-projection-'));
    const home = retraceHome({}, join(folder, 'home'));
    const store = new CredentialStore(home.nats);
    let table = await store.addPrincipal(LOCAL_OPERATOR);
    for (const agent of agents) table = await store.addPrincipal(agent);
    return new ProjectionBed(folder, home, await startBus(home, { port: -1 }), table.principals);
  }

  /** Where the service keeps its read models. */
  get store(): string {
    return join(this.folder, 'data', 'projection');
  }

  async start(): Promise<void> {
    const { url } = this.bus;
    const dataDir = join(this.folder, 'data');
    const settings = { url, dataDir, localCalls: this.localCalls, ...this.bus.credentials('projection') };
    Object.assign(process.env, this.environment);
    try {
      this.service = await startService(projectionService, settings);
    } finally {
      for (const name of Object.keys(this.environment)) delete process.env[name];
    }
  }

  async stop(): Promise<void> {
    await this.service?.close();
    this.service = undefined;
  }

  async connection(user: ServiceUser): Promise<NatsConnection> {
    const known = this.connections.get(user);
    const connection = known ?? (await connectBus({ url: this.bus.url, ...this.bus.credentials(user) }));
    this.connections.set(user, connection);
    return connection;
  }

  /** Writes events to the log; answers the sequence of the last one. */
  async write(...events: StoredEvent[]): Promise<number> {
    let last = 0;
    for (const event of events) {
      const log = await JetStreamEventLog.open(await this.connection(writerOf(event)));
      last = (await log.append(event)).sequence;
    }
    return last;
  }

  /** Calls as a principal. */
  async ask<Request extends z.ZodType, Reply extends z.ZodType>(
    principal: Principal,
    call: CallDefinition<Request, Reply>,
    workspace: WorkspaceName | '_',
    request: z.input<Request>,
  ): Promise<z.infer<Reply>> {
    const { password } = this.principals[principal]!;
    const connection =
      this.connections.get(principal) ??
      (await connectBus({ url: this.bus.url, user: principal, password, inboxPrefix: inboxPrefixOf(principal) }));
    this.connections.set(principal, connection);
    return CallClient.forPrincipal(connection, principal).call(call, workspace, request);
  }

  /** Resolves when the read models hold the whole log. */
  async caughtUp(): Promise<z.infer<typeof QueryStatus.reply>> {
    for (;;) {
      const status = await this.ask(LOCAL_OPERATOR, QueryStatus, '_', {});
      if (status.lag === 0) return status;
      await sleep(20);
    }
  }

  /** The service MUST be stopped. The log is gone, as after the loss of the broker's disk. */
  async loseLog(): Promise<void> {
    await this.disconnect();
    await this.bus.stop();
    await rm(join(this.home.nats, 'js'), { recursive: true });
    this.bus = await startBus(this.home, { port: -1 });
  }

  async close(): Promise<void> {
    await this.stop();
    await this.disconnect();
    await this.bus.stop();
    await rm(this.folder, { recursive: true });
  }

  private async disconnect(): Promise<void> {
    await Promise.all([...this.connections.values()].map((connection) => connection.close()));
    this.connections.clear();
  }
}
