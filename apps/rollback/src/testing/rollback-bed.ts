import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventEnvelope, FsFacts, type PathState, type Principal, type StoredEvent } from '@retrace/contracts';
import { JetStreamEventLog } from '@retrace/event-log';
import {
  type Bus,
  CallClient,
  connectBus,
  CredentialStore,
  inboxPrefixOf,
  retraceHome,
  type RunningService,
  type ServiceUser,
  startBus,
  startService,
} from '@retrace/messaging';
import type { NatsConnection } from '@nats-io/transport-node';
import { absent } from '../domain/testing/history-builder.js';
import { rollbackService } from '../service.js';

/** The service on a real bus with accounts. Events are written, and facts answered, as the services that may do so. */
export class RollbackBed {
  /** What execution says stands on the disk. */
  readonly disk = new Map<string, PathState>();
  private readonly connections = new Map<string, NatsConnection>();
  private service: RunningService | undefined;

  private constructor(
    private readonly folder: string,
    private readonly bus: Bus,
    private readonly passwords: ReadonlyMap<Principal, string>,
  ) {}

  static async open(agent: Principal): Promise<RollbackBed> {
    const folder = await mkdtemp(join(tmpdir(), 'retrace-rollback-bus-'));
    const home = retraceHome({}, join(folder, 'home'));
    const { principals } = await new CredentialStore(home.nats).addPrincipal(agent);
    const bed = new RollbackBed(
      folder,
      await startBus(home, { port: -1 }),
      new Map([[agent, principals[agent]!.password]]),
    );
    await bed.answerFacts();
    return bed;
  }

  async start(): Promise<void> {
    const settings = { url: this.bus.url, dataDir: join(this.folder, 'data') };
    this.service = await startService(rollbackService, { ...settings, ...this.bus.credentials('rollback') });
  }

  async stop(): Promise<void> {
    await this.service?.close();
    this.service = undefined;
  }

  /** Writes events as their only writer; answers the sequence of the last one. */
  async write(writer: ServiceUser, ...events: EventEnvelope[]): Promise<number> {
    const log = await JetStreamEventLog.open(await this.as(writer));
    let last = 0;
    for (const event of events) last = (await log.append(event)).sequence;
    return last;
  }

  /** What the service published, once it is at least so much. */
  async published(count: number): Promise<StoredEvent[]> {
    const log = await JetStreamEventLog.open(await this.as('execution'));
    for (;;) {
      const events: StoredEvent[] = [];
      for await (const event of log.read()) if (event.source === 'retrace/rollback') events.push(event);
      if (events.length >= count) return events;
    }
  }

  async calls(principal: Principal): Promise<CallClient> {
    const password = this.passwords.get(principal)!;
    const inboxPrefix = inboxPrefixOf(principal);
    const known = this.connections.get(principal);
    const connection = known ?? (await connectBus({ url: this.bus.url, user: principal, password, inboxPrefix }));
    this.connections.set(principal, connection);
    return CallClient.forPrincipal(connection, principal);
  }

  async close(): Promise<void> {
    await this.stop();
    await Promise.all([...this.connections.values()].map((connection) => connection.close()));
    await this.bus.stop();
    await rm(this.folder, { recursive: true });
  }

  private async as(user: ServiceUser): Promise<NatsConnection> {
    const known = this.connections.get(user);
    const connection = known ?? (await connectBus({ url: this.bus.url, ...this.bus.credentials(user) }));
    this.connections.set(user, connection);
    return connection;
  }

  private async answerFacts(): Promise<void> {
    const connection = await this.as('execution');
    connection.subscribe('retrace.svc.*.fs.facts', {
      callback: (_, message) => {
        const { paths } = FsFacts.request.parse(message.json());
        const facts = paths.map((path) => {
          return { path, canonical: path, state: this.disk.get(path) ?? absent, recorded: null, problem: null };
        });
        message.respond(JSON.stringify({ facts }));
      },
    });
    await connection.flush();
  }
}
