import type { IntentId, Provenance } from '@retrace/contracts';

/** What every intent may say of itself. */
export interface IntentOptions {
  /** Milliseconds until {@link OutcomeUnknown} (30,000 unless the connection was given another). */
  readonly timeoutMs?: number | undefined;
  /** Aborting withdraws the intent, which counts until it is decided; the promise tells what became of it. */
  readonly signal?: AbortSignal | undefined;
  /** Of an intent whose outcome is unknown, to send it again. */
  readonly intentId?: IntentId | undefined;
  /** W3C trace context. */
  readonly traceparent?: string | undefined;
}

export interface ApplyOptions extends IntentOptions {
  /** Why; recorded. */
  readonly reason?: string | undefined;
  readonly tool?: string | undefined;
  readonly provenance?: Provenance | undefined;
}
