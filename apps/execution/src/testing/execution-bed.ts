import { join } from 'node:path';
import {
  type AnyEventDefinition,
  BlobGet,
  type EventEnvelope,
  RPC_HEADERS,
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
  retraceHome,
  type RunningService,
  startBus,
  startService,
} from '@retrace/messaging';
import type { NatsConnection } from '@nats-io/transport-node';
import { executionService } from '../service.js';
import type { MemoryBlobs } from './memory-blobs.js';
import { WorkspaceFolder } from './workspace-folder.js';

/** The service on a real bus with accounts; policy's events are written, and blobs kept, in their names. */
export class ExecutionBed {
  private service: RunningService | undefined;

  private constructor(
    readonly folder: WorkspaceFolder,
    private readonly bus: Bus,
    private readonly policy: NatsConnection,
    private readonly snapshot: NatsConnection,
    private readonly rollback: NatsConnection,
    private readonly operatorBus: NatsConnection,
    readonly log: JetStreamEventLog,
  ) {}

  static async open(blobs: MemoryBlobs): Promise<ExecutionBed> {
    const folder = new WorkspaceFolder();
    const home = retraceHome({}, join(folder.top, 'home'));
    const bus = await startBus(home, { port: -1 });
    const { url } = bus;
    const policy = await connectBus({ url, ...bus.credentials('policy') });
    const snapshot = await connectBus({ url, ...bus.credentials('snapshot') });
    const rollback = await connectBus({ url, ...bus.credentials('rollback') });
    const { principals } = await new CredentialStore(home.nats).read();
    const { password } = principals[LOCAL_OPERATOR]!;
    const inboxPrefix = inboxPrefixOf(LOCAL_OPERATOR);
    const operator = await connectBus({ url, user: LOCAL_OPERATOR, password, inboxPrefix });
    const log = await JetStreamEventLog.open(policy);
    const bed = new ExecutionBed(folder, bus, policy, snapshot, rollback, operator, log);
    await bed.keepBlobs(blobs);
    return bed;
  }

  async start(): Promise<void> {
    const settings = { url: this.bus.url, dataDir: this.folder.data, ...this.bus.credentials('execution') };
    this.service = await startService(executionService, settings);
  }

  async stop(): Promise<void> {
    await this.service?.close();
    this.service = undefined;
  }

  /** Steps of rollbacks are rollback's to publish. */
  logOfRollback(): Promise<JetStreamEventLog> {
    return JetStreamEventLog.open(this.rollback);
  }

  get operator(): CallClient {
    return CallClient.forPrincipal(this.operatorBus, LOCAL_OPERATOR);
  }

  get asPolicy(): CallClient {
    return CallClient.forService(this.policy);
  }

  async write<D extends AnyEventDefinition>(event: EventEnvelope<D>): Promise<number> {
    return (await this.log.append(event)).sequence;
  }

  /** What the service said about operations of a workspace, once it is at least so much. */
  async outcomes(workspace: WorkspaceName, count: number): Promise<StoredEvent[]> {
    for (;;) {
      const events: StoredEvent[] = [];
      for await (const event of this.log.read())
        if (event.workspace === workspace && event.type.startsWith('retrace.operation.')) events.push(event);
      if (events.length >= count) return events;
    }
  }

  async close(): Promise<void> {
    await this.stop();
    for (const connection of [this.policy, this.snapshot, this.rollback, this.operatorBus]) await connection.close();
    await this.bus.stop();
    this.folder.dispose();
  }

  /** As the snapshot service, for content of one chunk. */
  private async keepBlobs(blobs: MemoryBlobs): Promise<void> {
    this.snapshot.subscribe('retrace.svc.*.blob.put', {
      callback: (_, message) => {
        const hash = blobs.keep(message.data);
        const expected = message.headers?.get(RPC_HEADERS.hash);
        message.respond(JSON.stringify({ received: message.data.length, done: hash === expected }));
      },
    });
    this.snapshot.subscribe('retrace.svc.*.blob.get', {
      callback: (_, message) => {
        message.respond(blobs.content.get(BlobGet.request.parse(message.json()).hash));
      },
    });
    await this.snapshot.flush();
  }
}
