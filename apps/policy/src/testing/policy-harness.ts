import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AnyEventDefinition,
  BlobMissing,
  FsTail,
  type CallDefinition,
  callPattern,
  type EventData,
  type EventEnvelope,
  INTENT_STREAM,
  intentSubject,
  LOG_STREAM,
  type Intent,
  MemberAdded,
  PolicyPublished,
  type Principal,
  type StoredEvent,
  type WorkspaceName,
  WorkspaceRegistered,
} from '@retrace/contracts';
import { ensureStreams, JetStreamEventLog, newId } from '@retrace/event-log';
import { CallClient, LocalCalls, type RunningService, startService } from '@retrace/messaging';
import { findNatsServer, launchNatsServer, type NatsServerHandle, renderServerConfig } from '@retrace/platform';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import { POLICY } from '../domain/testing.js';
import { createPolicyService } from '../service.js';
import type { PolicyTimings } from '../timings.js';

const PATIENCE_MS = 15_000;
const SHORTEST_WINDOW_NANOS = 100_000_000;
export const WS = 'ws' as WorkspaceName;
export const WRITER = 'writer' as Principal;
export const OPERATOR = '_op-me' as Principal;

type Handler<C extends CallDefinition> = (request: z.infer<C['request']>) => Promise<z.infer<C['reply']>>;

/** Policy over a real server; the services that it asks are functions here. */
export class PolicyHarness {
  readonly localCalls = new LocalCalls();
  private running: RunningService | undefined;

  private constructor(
    private readonly folder: string,
    private server: NatsServerHandle,
    readonly connection: NatsConnection,
    readonly log: JetStreamEventLog,
  ) {}

  static async open(): Promise<PolicyHarness> {
    const folder = await mkdtemp(join(tmpdir(), 'retrace-policy-'));
    const server = await launch(folder);
    const connection = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    await createStreams(connection);
    const harness = new PolicyHarness(folder, server, connection, await JetStreamEventLog.open(connection));
    harness.answer(FsTail, () => Promise.resolve({ whole: true as const }));
    harness.answer(BlobMissing, () => Promise.resolve({ missing: [] }));
    return harness;
  }

  /** Starts policy, or starts it again on the same data. */
  async start(timings: Partial<PolicyTimings> = {}): Promise<void> {
    const { url } = this.server;
    const settings = {
      url,
      user: 'policy',
      password: 'p',
      dataDir: join(this.folder, 'data'),
      localCalls: this.localCalls,
    };
    this.running = await startService(createPolicyService({ timings: { retryMs: 10, ...timings } }), settings);
  }

  async stop(): Promise<void> {
    await this.running?.close();
    this.running = undefined;
  }

  /** Kills the broker and starts it on the same port, with its data or with none. */
  async restartBroker({ wiped }: { wiped: boolean }): Promise<void> {
    await this.server.kill();
    if (wiped) await rm(join(this.folder, 'nats', 'js'), { recursive: true });
    this.server = await launch(this.folder, this.server.port);
    await until('the connection', () =>
      this.connection.flush().then(
        () => true,
        () => undefined,
      ),
    );
    await createStreams(this.connection);
  }

  /** Appends events that stood in the log before, as the services would that published them. */
  async putBack(events: readonly StoredEvent[]): Promise<void> {
    for (const { sequence: _, ...event } of events) await this.log.append(event);
  }

  /** Takes from a stopped policy what it remembers of its events. */
  async forgetTail(): Promise<void> {
    for (const name of ['tail.mdb', 'tail.mdb-lock']) await rm(join(this.folder, 'data/policy', name));
  }

  async close(): Promise<void> {
    await this.stop();
    await this.connection.close();
    await this.server.stop();
    await rm(this.folder, { recursive: true });
  }

  /** Answers a call in another service's place. */
  answer<C extends CallDefinition>(call: C, handler: Handler<C>): void {
    this.localCalls.register(callPattern(call), (request) => handler(request as z.infer<C['request']>));
  }

  as(principal: Principal): CallClient {
    return CallClient.forPrincipal(this.connection, principal);
  }

  /** Publishes an event in another service's place. */
  async happened<D extends AnyEventDefinition>(
    definition: D,
    data: EventData<D>,
    changed: Partial<EventEnvelope<D>> = {},
  ): Promise<number> {
    const event = {
      id: newId('evt'),
      type: definition.type,
      source: 'retrace/spec',
      time: '2026-01-01T00:00:00.000Z',
      workspace: WS,
      agent: WRITER,
      data,
      ...changed,
    } as EventEnvelope<D>;
    return (await this.log.append(event)).sequence;
  }

  /** A workspace with a policy and a member, as the log has it. */
  async workspaceIsReady(workspace: WorkspaceName = WS, yaml: string = POLICY): Promise<void> {
    const by = OPERATOR;
    await this.happened(WorkspaceRegistered, { root: '/r', host: 'h', registered_by: by }, { workspace });
    await this.happened(MemberAdded, { member: WRITER, added_by: by }, { workspace });
    await this.happened(PolicyPublished, { version: 1, name: 'spec', yaml, published_by: by }, { workspace });
  }

  async send(
    intent: Intent | string | object,
    principal: Principal = WRITER,
    workspace: WorkspaceName = WS,
  ): Promise<void> {
    const body = typeof intent === 'string' ? intent : JSON.stringify(intent);
    await jetstream(this.connection).publish(intentSubject(workspace, principal), body);
  }

  /** Everything in the log, of one verb where one is given (`intent.denied`). */
  async events(kind = ''): Promise<StoredEvent[]> {
    const found: StoredEvent[] = [];
    for await (const event of this.log.read()) if (event.type.includes(kind)) found.push(event);
    return found;
  }

  /** Waits for so many events of a verb. */
  async eventually(kind: string, count = 1): Promise<StoredEvent[]> {
    return until(`${count} ${kind}`, async () => {
      const found = await this.events(kind);
      return found.length >= count ? found : undefined;
    });
  }

  /** Waits for the event that answers an intent's attempt. */
  async answerTo(intentId: string, attempt = 1): Promise<StoredEvent> {
    return until(`an answer to ${intentId}`, async () => {
      const decisions = await this.events();
      return decisions.find(
        ({ data, source }) =>
          source === 'retrace/policy' && 'attempt' in data && data.intent_id === intentId && data.attempt === attempt,
      );
    });
  }

  async waitingIntents(): Promise<number> {
    return (await (await jetstreamManager(this.connection)).streams.info(INTENT_STREAM)).state.messages;
  }
}

/** Looks again until there is something. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(20);
  }
}

async function createStreams(connection: NatsConnection): Promise<void> {
  const jsm = await jetstreamManager(connection);
  await ensureStreams(jsm);
  // Its window against doubles would hide what policy publishes twice.
  await jsm.streams.update(LOG_STREAM, { duplicate_window: SHORTEST_WINDOW_NANOS });
}

async function launch(folder: string, port = -1): Promise<NatsServerHandle> {
  const dataDir = join(folder, 'nats');
  await mkdir(dataDir, { recursive: true });
  const places = { storeDir: join(dataDir, 'js'), portsFileDir: join(dataDir, 'run'), accountsFile: 'accounts.conf' };
  const configFile = join(dataDir, 'nats.conf');
  await writeFile(
    configFile,
    renderServerConfig({ port: -1, host: '127.0.0.1', serverName: 'spec', syncAlways: false, ...places }),
  );
  await writeFile(join(dataDir, 'accounts.conf'), '');
  const { path: binary } = await findNatsServer();
  return launchNatsServer({ binary, configFile, dataDir, logFile: join(dataDir, 'nats.log'), port });
}
