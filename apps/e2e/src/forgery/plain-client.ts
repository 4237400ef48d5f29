import { RPC_HEADERS } from '@retrace/contracts';
import { connect, headers as newHeaders, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { setImmediate } from 'node:timers/promises';

export interface Login {
  readonly user?: string;
  readonly password?: string;
}

/** What came back: `ok`, an error code of ours, or how the bus refused. */
export interface Got {
  readonly verdict: string;
  readonly body: string;
  /** Body and headers: what was to stay hidden may stand in either. */
  readonly text: string;
}

const ANSWER_MS = 20_000;

/** A plain NATS client: no SDK, no good will. */
export class PlainClient {
  private readonly errors: string[] = [];

  private constructor(
    readonly name: string,
    readonly connection: NatsConnection,
  ) {
    void this.watch();
  }

  /** Rejects where the server lets nobody in by this login. */
  static async connect(url: string, name: string, { user, password }: Login): Promise<PlainClient> {
    const inboxPrefix = name.startsWith('_svc') ? '_INBOX' : `_INBOX.${name}`;
    const login = { ...(user !== undefined && { user }), ...(password !== undefined && { pass: password }) };
    return new PlainClient(name, await connect({ servers: url, reconnect: false, inboxPrefix, ...login }));
  }

  /** Publishes, and answers what the server refused of it: nothing, where it took it. */
  async publish(
    subject: string,
    body: string | Uint8Array = '{}',
    options: { reply?: string; headers?: Headers } = {},
  ): Promise<readonly string[]> {
    const before = this.errors.length;
    const headers = options.headers && toHeaders(options.headers);
    this.connection.publish(subject, body, {
      ...(headers && { headers }),
      ...(options.reply !== undefined && { reply: options.reply }),
    });
    await this.settled();
    return this.errors.slice(before);
  }

  /** Subscribes, and answers what the server refused of it, and the messages that come later. */
  async subscribe(subject: string): Promise<{ refused: readonly string[]; heard: Msg[] }> {
    const [refused, heard]: [string[], Msg[]] = [[], []];
    this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) refused.push(error.message);
        else heard.push(message);
      },
    });
    await this.settled();
    return { refused, heard };
  }

  async request(subject: string, body: string | Uint8Array = '{}', headers?: Headers): Promise<Got> {
    try {
      const options = { timeout: ANSWER_MS, ...(headers && { headers: toHeaders(headers) }) };
      const message = await this.connection.request(subject, body, options);
      const verdict = message.headers?.get(RPC_HEADERS.error) || 'ok';
      return { verdict, body: message.string(), text: textOf(message) };
    } catch (error) {
      const { name, message, cause } = error as Error;
      return { verdict: cause instanceof Error ? cause.name : name, body: '', text: message };
    }
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private async settled(): Promise<void> {
    // The refusal came before the answer to this one, but passes through an iterator.
    await this.connection.flush();
    await setImmediate();
    await setImmediate();
  }

  private async watch(): Promise<void> {
    for await (const status of this.connection.status())
      if (status.type === 'error') this.errors.push(status.error.message);
  }
}

export type Headers = Readonly<Record<string, string>>;

function toHeaders(values: Headers): MsgHdrs {
  const headers = newHeaders();
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  return headers;
}

const textOf = (message: Msg): string =>
  `${message.string()} ${[...(message.headers ?? [])].map(([name, values]) => `${name}: ${values.join()}`).join('; ')}`;
