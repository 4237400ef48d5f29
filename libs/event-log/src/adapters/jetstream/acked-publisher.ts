import { JetStreamApiError } from '@nats-io/jetstream';
import {
  ClosedConnectionError,
  ConnectionError,
  createInbox,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  NoRespondersError,
  PermissionViolationError,
  type Status,
  TimeoutError,
} from '@nats-io/transport-node';

export interface PublishAck {
  readonly seq: number;
  readonly duplicate: boolean;
}

interface Waiting {
  readonly subject: string;
  readonly deadline: number;
  readonly resolve: (ack: PublishAck) => void;
  readonly reject: (error: unknown) => void;
}

interface AckBody {
  readonly seq?: number;
  readonly duplicate?: boolean;
  readonly error?: { readonly code: number; readonly err_code: number; readonly description: string };
}

/**
 * Publishes to a stream and hears the acknowledgements on one subscription. The client's own publish makes a request
 * each, with a timer, a race of promises and an error that nobody sees; here one timer watches over all.
 */
export class AckedPublisher {
  private readonly waiting = new Map<string, Waiting>();
  private inbox: string | undefined;
  private connected = true;
  private count = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly timeoutMs = 5_000,
  ) {
    void this.follow();
  }

  /**
   * False from a lost connection to the next one. What is published then would go out after what was lost before it, and
   * take its place in the order.
   */
  get isConnected(): boolean {
    return this.connected;
  }

  /**
   * Resolves once the stream has the message, which is on its way before this returns. Rejects with JetStreamApiError
   * (refused), PermissionViolationError, NoRespondersError (no stream takes the subject), TimeoutError (also where the
   * connection went), ConnectionError (it is away: not sent), ClosedConnectionError, or what the connection says of a message that it does not send.
   */
  publish(subject: string, body: Uint8Array | string, headers?: MsgHdrs): Promise<PublishAck> {
    if (!this.connected) return Promise.reject(new ConnectionError('the connection is away; it was not sent'));
    const inbox = (this.inbox ??= this.subscribe());
    const token = (this.count += 1).toString(36);
    return new Promise((resolve, reject) => {
      this.connection.publish(subject, body, { reply: `${inbox}.${token}`, ...(headers && { headers }) });
      this.waiting.set(token, { subject, deadline: performance.now() + this.timeoutMs, resolve, reject });
      this.timer ??= setTimeout(() => this.expire(), this.timeoutMs).unref();
    });
  }

  private subscribe(): string {
    const { options } = this.connection as { options?: { inboxPrefix?: string } };
    const inbox = createInbox(options?.inboxPrefix);
    this.connection.subscribe(`${inbox}.*`, {
      callback: (error, message) => void (error ?? this.hear(message, inbox.length + 1)),
    });
    return inbox;
  }

  private hear(message: Msg, at: number): void {
    const token = message.subject.slice(at);
    const waiting = this.waiting.get(token);
    if (!waiting) return;
    this.waiting.delete(token);
    if (message.data.length === 0) return waiting.reject(new NoRespondersError(waiting.subject));
    const { seq, duplicate = false, error } = message.json<AckBody>();
    if (error) waiting.reject(new JetStreamApiError(error));
    else if (seq === undefined) waiting.reject(new Error(`no acknowledgement of a stream: ${message.string()}`));
    else waiting.resolve({ seq, duplicate });
  }

  /** In the order of publication, so the first that is not due ends the walk. */
  private expire(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const [token, { deadline, reject }] of this.waiting) {
      if (deadline > now) {
        this.timer = setTimeout(() => this.expire(), deadline - now).unref();
        return;
      }
      this.waiting.delete(token);
      reject(new TimeoutError());
    }
  }

  private async follow(): Promise<void> {
    for await (const status of this.connection.status()) this.onStatus(status);
    this.rejectAll(() => new ClosedConnectionError());
  }

  private onStatus(status: Status): void {
    if (status.type === 'reconnect') this.connected = true;
    if (status.type === 'disconnect') {
      this.connected = false;
      // Acknowledgements on their way are lost: whether the stream has the message is looked for.
      this.rejectAll(() => new TimeoutError());
    }
    if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) return;
    const { operation, subject } = status.error;
    if (operation === 'publish') this.rejectAll(() => status.error, subject);
  }

  private rejectAll(error: () => Error, subject?: string): void {
    for (const [token, waiting] of this.waiting) {
      if (subject !== undefined && waiting.subject !== subject) continue;
      this.waiting.delete(token);
      waiting.reject(error());
    }
  }
}
