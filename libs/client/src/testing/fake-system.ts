import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AnyEventDefinition,
  BlobPut,
  BlobPutMany,
  decodeContents,
  type CallDefinition,
  decodeToken,
  INTENT_STREAM,
  type Intent,
  IntentSchema,
  parseIntentSubject,
  parseRpcSubject,
  pingCall,
  RPC_HEADERS,
  RetraceError,
  SERVICES,
  type ServiceName,
} from '@retrace/contracts';
import { appendOnce, AppendUnknown, JetStreamEventLog, newId } from '@retrace/event-log';
import {
  type Bus,
  connectBus,
  CredentialStore,
  RawReply,
  type RetraceHome,
  retraceHome,
  startBus,
  writeRuntime,
} from '@retrace/messaging';
import { DeliverPolicy, jetstream } from '@nats-io/jetstream';
import { headers as newHeaders, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { defaultAnswer } from './default-answers.js';
import type { Emit, FakeIntent } from './fake-intent.js';

type Handler = (request: unknown, workspace: string, message: Msg) => unknown;

const USER_OF: Readonly<Record<string, ServiceName>> = {
  blob: 'snapshot',
  fs: 'execution',
  query: 'projection',
  plan: 'rollback',
};
/** The server may be killed: the consumer is made anew soon after. */
const HEARTBEAT = { idle_heartbeat: 500, expires: 1_000 };

/** A real bus with real accounts, on which specs are the services: what they do is what the spec says. */
export class FakeSystem {
  /** What is done about an intent; by default it succeeds. */
  onIntent: (asked: FakeIntent) => Promise<unknown> = (asked) => this.succeed(asked);
  readonly intents: FakeIntent[] = [];
  /** By hash, as far as they arrived. */
  readonly blobs = new Map<string, Buffer>();
  private readonly users = new Map<ServiceName, { connection: NatsConnection; log: JetStreamEventLog }>();
  private readonly handlers = new Map<string, Handler>();
  private pid = 0;

  private constructor(
    readonly home: RetraceHome,
    readonly bus: Bus,
  ) {}

  static async start(agents: readonly string[] = []): Promise<FakeSystem> {
    const home = retraceHome({}, await mkdtemp(join(tmpdir(), 'retrace-fake-')));
    const store = new CredentialStore(home.nats);
    for (const agent of agents) await store.addPrincipal(agent);
    const system = new FakeSystem(home, await startBus(home, { onRestarted: (pid) => (system.pid = pid) }));
    for (const name of SERVICES) await system.connectService(name);
    for (const name of SERVICES) system.answer(pingCall(name), () => pong(name));
    system.answer(BlobPutMany, (body) => system.putBlobs(body as Uint8Array));
    system.answer(BlobPut, (bytes, _workspace, message) => system.putBlob(bytes as Uint8Array, message));
    await system.readIntents();
    return system;
  }

  get url(): string {
    return this.bus.url;
  }

  credentialsFile(principal: string): string {
    return join(this.home.credentials, `${principal}.json`);
  }

  /** Says that this process is the system. */
  async announce(): Promise<void> {
    const started_at = new Date(0).toISOString();
    const { url, pid: nats_pid } = this.bus;
    await writeRuntime(this.home, { url, pid: process.pid, nats_pid, mode: 'standalone', started_at, version: '0' });
  }

  /** Answers a call from now on. The handler may throw RetraceError. */
  answer(call: CallDefinition, handler: Handler): void {
    const pattern = `${call.service}.${call.verb}`;
    const known = this.handlers.has(pattern);
    this.handlers.set(pattern, handler);
    if (known) return;
    const user = USER_OF[call.service] ?? (call.service as ServiceName);
    this.users.get(user)!.connection.subscribe(`retrace.rpc.*.*.${pattern}`, {
      callback: (_, message) => void this.respond(call, pattern, message),
    });
  }

  /** Publishes an event as the service that may, and answers its sequence. */
  readonly emit: Emit = async (definition, { workspace, principal, intent }, data) => {
    const { log } = this.users.get(publisherOf(definition))!;
    const event = {
      id: newId('evt'),
      type: definition.type,
      source: 'retrace/fake',
      time: new Date().toISOString(),
      workspace,
      agent: principal,
      correlationid: intent?.intent_id,
      data,
    };
    try {
      return (await log.append(event)).sequence;
    } catch (error) {
      if (!(error instanceof AppendUnknown)) throw error;
      return appendOnce(log, event, 1);
    }
  };

  /** What every service would do if nothing stood in the way. */
  async succeed(asked: FakeIntent): Promise<unknown> {
    while (!contentsOf(asked.intent).every(({ hash, size }) => this.blobs.get(hash)?.length === size)) await sleep(2);
    return defaultAnswer(this.emit, asked);
  }

  /** The bus goes and comes back, with all connections lost. */
  async restartBus(): Promise<void> {
    const before = this.bus.pid!;
    process.kill(before, 'SIGKILL');
    while (this.bus.pid === before || this.pid === before) await sleep(10);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.users.values()].map(({ connection }) => connection.close()));
    await this.bus.stop();
    await rm(this.home.folder, { recursive: true, force: true });
  }

  private async connectService(name: ServiceName): Promise<void> {
    const connection = await connectBus({ url: this.url, ...this.bus.credentials(name), name: `fake/${name}` });
    this.users.set(name, { connection, log: await JetStreamEventLog.open(connection) });
  }

  private async readIntents(): Promise<void> {
    const { connection } = this.users.get('policy')!;
    const consumer = await jetstream(connection).consumers.get(INTENT_STREAM, { deliver_policy: DeliverPolicy.All });
    const messages = await consumer.consume(HEARTBEAT);
    void (async () => {
      for await (const message of messages) {
        const { workspace, principal } = parseIntentSubject(message.subject)!;
        const asked = { intent: IntentSchema.parse(message.json()), workspace, principal, sequence: message.seq };
        this.intents.push(asked);
        await this.onIntent(asked);
      }
    })();
  }

  private async respond(call: CallDefinition, pattern: string, message: Msg): Promise<void> {
    const workspace = decodeToken(parseRpcSubject(message.subject)!.workspace);
    try {
      const request: unknown = takesBytes(call) ? message.data : call.request.parse(message.json());
      const answer = await this.handlers.get(pattern)!(request, workspace, message);
      const raw = answer instanceof RawReply ? answer : new RawReply(Buffer.from(JSON.stringify(answer)));
      message.respond(raw.body, { headers: headersOf(raw.headers) });
    } catch (error) {
      const code = error instanceof RetraceError ? error.code : 'internal';
      const problem = { code, message: (error as Error).message };
      message.respond(JSON.stringify(problem), { headers: headersOf({ [RPC_HEADERS.error]: code }) });
    }
  }

  private putBlobs(body: Uint8Array): { stored: number } {
    const contents = decodeContents(body);
    for (const { hash, bytes } of contents) this.blobs.set(hash, Buffer.from(bytes));
    return { stored: contents.length };
  }

  private putBlob(bytes: Uint8Array, message: Msg): { received: number; done: boolean } {
    const header = (name: string): string => message.headers?.get(name) ?? '';
    const hash = header(RPC_HEADERS.hash);
    const before = this.blobs.get(hash) ?? Buffer.alloc(0);
    if (Number(header(RPC_HEADERS.offset)) === before.length) this.blobs.set(hash, Buffer.concat([before, bytes]));
    const received = this.blobs.get(hash)?.length ?? 0;
    return { received, done: received === Number(header(RPC_HEADERS.size)) };
  }
}

const contentsOf = (intent: Intent): { hash: string; size: number }[] =>
  intent.type === 'operation.apply'
    ? intent.operations.flatMap((one) => ('content_hash' in one ? [{ hash: one.content_hash, size: one.size }] : []))
    : [];

function publisherOf({ entity, verb }: AnyEventDefinition): ServiceName {
  if (entity === 'operation' || entity === 'workspace') return 'execution';
  return entity === 'rollback' && verb !== 'authorized' ? 'rollback' : 'policy';
}

/** A schema of optional fields alone takes bytes for an object: it must refuse a plain one as well. */
const takesBytes = ({ request }: CallDefinition): boolean =>
  request.safeParse(new Uint8Array(1)).success && !request.safeParse({}).success;

const pong = (service: ServiceName) => ({
  service,
  pid: process.pid,
  started_at: new Date(0).toISOString(),
  ready: true,
});

function headersOf(values: Readonly<Record<string, string>>) {
  const headers = newHeaders();
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  return headers;
}
