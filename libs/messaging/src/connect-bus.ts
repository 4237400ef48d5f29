import { RetraceError } from '@retrace/contracts';
import { connect, type NatsConnection } from '@nats-io/transport-node';

export interface BusCredentials {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** `_INBOX.<principal>` for agents and operators, whose accounts allow no other inbox. */
  readonly inboxPrefix?: string | undefined;
  /** Shown by the server's monitoring. */
  readonly name?: string | undefined;
}

/** Connects and keeps reconnecting for ever; the first connection fails with a clear error instead. */
export async function connectBus({ url, user, password, inboxPrefix, name }: BusCredentials): Promise<NatsConnection> {
  try {
    return await connect({
      servers: url,
      user,
      pass: password,
      ...(inboxPrefix === undefined ? {} : { inboxPrefix }),
      ...(name === undefined ? {} : { name }),
      maxReconnectAttempts: -1,
      // Else the client gives up at the second refusal, which a server with half a configuration may give.
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
      pingInterval: 20_000,
      timeout: 5_000,
      // Else each request and publish pays for the stack of an error that is not thrown.
      noAsyncTraces: true,
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RetraceError(
      'unavailable',
      `no connection to the bus at ${url} as ${user}: ${why}. Is it up? See: retrace status`,
      {
        cause,
      },
    );
  }
}
