import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallDefinition,
  pingCall,
  type Principal,
  QueryStatus,
  QueryWorkspaces,
  type ServiceName,
  WorkspaceNameSchema,
} from '@retrace/contracts';
import { CallClient, type CallOptions, connectBus } from '@retrace/messaging/client';
import type { NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { checkCredentials, type Credentials, readCredentials } from './credentials.js';
import { CredentialsError } from './errors.js';
import { DEFAULT_TIMEOUT_MS, Retrace } from './retrace.js';

const CLOSE_TIMEOUT_MS = 2_000;

export interface SystemOptions {
  /** Of the bus; may be left out where the credentials file names it. */
  readonly url?: string | undefined;
  /** One of these two. */
  readonly credentials?: Credentials | undefined;
  /** Path of a `<principal>.json` that `retrace agent add` wrote. */
  readonly credentialsFile?: string | undefined;
  /** Milliseconds until an intent's outcome counts as unknown (30,000). */
  readonly timeoutMs?: number | undefined;
  /** Shown by the server's monitoring. */
  readonly name?: string | undefined;
}

export interface ConnectOptions extends SystemOptions {
  readonly workspace: string;
}

/**
 * Connects a principal to one workspace; closing that closes the connection. Throws CredentialsError, RetraceError
 * `unavailable`. Whether the workspace exists and the principal is a member shows at the first use.
 */
export async function connect({ workspace, ...options }: ConnectOptions): Promise<Retrace> {
  const system = await connectSystem(options);
  return system.workspace(workspace, () => system.close());
}

/** Connects a principal without choosing a workspace. Throws CredentialsError, RetraceError `unavailable`. */
export async function connectSystem(options: SystemOptions): Promise<RetraceSystem> {
  const { principal, user, password, inboxPrefix, url } = await credentialsOf(options);
  const bus = options.url ?? url;
  if (bus === undefined) throw new CredentialsError('which bus? Give url, or credentials that name one');
  const name = options.name ?? `retrace/${principal}`;
  const connection = await connectBus({ url: bus, user, password, inboxPrefix, name });
  return new RetraceSystem(connection, principal, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
}

const credentialsOf = async ({ credentials, credentialsFile }: SystemOptions) => {
  if (credentials) return checkCredentials(credentials);
  if (credentialsFile !== undefined) return readCredentials(credentialsFile);
  throw new CredentialsError('as whom? Give credentials or credentialsFile');
};

/** A principal's connection; workspaces opened from it share it. */
export class RetraceSystem {
  private readonly calls: CallClient;

  constructor(
    private readonly connection: NatsConnection,
    readonly principal: Principal,
    private readonly timeoutMs: number,
  ) {
    this.calls = CallClient.forPrincipal(connection, principal);
  }

  /** Closing the workspace does `onClose`; by itself it leaves the connection open. */
  async workspace(name: string, onClose: () => Promise<void> = () => Promise.resolve()): Promise<Retrace> {
    const parsed = WorkspaceNameSchema.safeParse(name);
    if (!parsed.success) throw new CredentialsError(`workspace ${name}: ${z.prettifyError(parsed.error)}`);
    const at = { connection: this.connection, calls: this.calls, principal: this.principal, workspace: parsed.data };
    return Retrace.open(at, this.timeoutMs, onClose);
  }

  /** A call that means no workspace. */
  call<Q extends z.ZodType, R extends z.ZodType>(
    call: CallDefinition<Q, R>,
    request: z.input<Q>,
    options?: CallOptions,
  ): Promise<z.infer<R>> {
    return this.calls.call(call, '_', request, options);
  }

  ping(service: ServiceName, timeoutMs?: number) {
    return this.call(pingCall(service), {}, timeoutMs === undefined ? undefined : { timeoutMs });
  }

  status() {
    return this.call(QueryStatus, {});
  }

  /** Every workspace, as far as projection has read the log by now. */
  async workspaces() {
    const { last_sequence } = await this.status();
    return this.call(QueryWorkspaces, { min_sequence: last_sequence });
  }

  /** Sends what is on its way, then closes. */
  async close(): Promise<void> {
    if (this.connection.isClosed()) return;
    // A drain waits for the server, which may be gone.
    const late = sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false });
    await Promise.race([this.connection.drain().catch(() => undefined), late]);
    await this.connection.close();
  }
}
