import { setTimeout as sleep } from 'node:timers/promises';
import type { IntentId } from '@retrace/contracts';
import type { IntentNotSent } from '../errors.js';
import { notStored } from './publish-error.js';

/** Publishes an intent and resolves once it is stored. The message is on its way before this returns. */
export type Publish = (body: string) => Promise<unknown>;

interface Outgoing {
  readonly id: IntentId;
  readonly body: string;
  tries: number;
  /** The stream has it, unless it lost it while the connection was away. */
  stored: boolean;
  /** Nobody waits for what becomes of it. */
  readonly once: boolean;
}

const RETRY_PAUSE_MS = 500;

/**
 * Publishes intents in the order given. While the connection is away they wait, and whatever is waited for goes out
 * again, in order, when it is back: a bus that came up again may have lost what it acknowledged, and the same id twice
 * counts once.
 */
export class IntentLane {
  /** In the order given; the key is the intent. */
  private readonly outgoing = new Map<IntentId, Outgoing>();
  private connected = true;
  private retrying = false;

  constructor(
    private readonly publish: Publish,
    private readonly onRefused: (id: IntentId, error: IntentNotSent) => void,
    private readonly pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false }),
  ) {}

  /**
   * Publishes before it returns, or keeps the place in the order until the connection is back. Until {@link forget} it is
   * published again after each lost connection; `once`: only until it was stored.
   */
  send(id: IntentId, body: string, once = false): void {
    const outgoing = { id, body, tries: 0, stored: false, once };
    this.outgoing.set(id, outgoing);
    if (this.connected) this.attempt(outgoing);
  }

  disconnected(): void {
    this.connected = false;
    for (const outgoing of this.outgoing.values()) outgoing.stored = false;
  }

  reconnected(): void {
    this.connected = true;
    for (const outgoing of this.outgoing.values()) if (!outgoing.stored) this.attempt(outgoing);
  }

  /** Nobody waits for this one any more: it is not sent again. */
  forget(id: IntentId): void {
    this.outgoing.delete(id);
  }

  private attempt(outgoing: Outgoing): void {
    outgoing.tries += 1;
    this.publish(outgoing.body).then(
      () => this.stored(outgoing),
      (error: unknown) => this.failed(outgoing, error),
    );
  }

  private stored(outgoing: Outgoing): void {
    outgoing.stored = true;
    if (outgoing.once) this.outgoing.delete(outgoing.id);
  }

  private failed(outgoing: Outgoing, error: unknown): void {
    const refusal = notStored(error);
    // Without an answer it may be stored: it stays until the connection was away, or until its outcome is heard.
    if (!refusal || !this.outgoing.has(outgoing.id)) return;
    // A refusal of a later try says nothing of the first one.
    if (outgoing.tries > 1) return void this.retryLater();
    this.outgoing.delete(outgoing.id);
    this.onRefused(outgoing.id, refusal);
  }

  private async retryLater(): Promise<void> {
    if (this.retrying) return;
    this.retrying = true;
    await this.pause(RETRY_PAUSE_MS);
    this.retrying = false;
    if (this.connected) this.reconnected();
  }
}
