import type { NatsConnection } from '@nats-io/transport-node';

/**
 * Knows whether a connection is up. What is asked while it is down the client drops when it reconnects, without a word:
 * the asker would wait for its time-out, seconds after everything is there again.
 */
export class ConnectionWatch {
  private up = Promise.resolve();
  private release = (): void => undefined;

  /** `onLost` is called for each disconnect, at once. Ends with the connection, or with `signal`. */
  constructor(
    connection: NatsConnection,
    private readonly onLost: () => void,
    signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.release(), { once: true });
    void this.follow(connection, signal);
  }

  /** Resolves while the connection is up, or when nobody waits for it any more. */
  whenUp(): Promise<void> {
    return this.up;
  }

  private async follow(connection: NatsConnection, signal: AbortSignal): Promise<void> {
    for await (const { type } of connection.status()) {
      if (signal.aborted) break;
      if (type === 'disconnect') this.lost();
      else if (type === 'reconnect') this.release();
    }
    this.release();
  }

  private lost(): void {
    this.release();
    this.up = new Promise((resolve) => {
      this.release = resolve;
    });
    this.onLost();
  }
}
