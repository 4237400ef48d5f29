/** The mark of an error that no retry can help: a string, because Nest's filters turn exceptions into plain objects. */
export const TERMINAL = 'lane_terminal';

/** Thrown by a handler: the message is rejected at once (`message.rejected`) and passed by. */
export class TerminalError extends Error {
  readonly code = TERMINAL;
  constructor(
    readonly reason: string,
    message: string = reason,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'TerminalError';
  }
}

export type Settlement =
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'retry_in_place'; readonly delayMs: number };

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Says what becomes of a message whose handler failed. `attempt` counts from 1; `random` in [0, 1) spreads the wait. */
export function settlementFor(error: unknown, attempt: number, backoff: Backoff, random: number): Settlement {
  const { code, reason } = (error ?? {}) as { code?: unknown; reason?: unknown };
  if (code === TERMINAL) return { kind: 'rejected', reason: String(reason) };
  const full = Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(attempt - 1, 20));
  return { kind: 'retry_in_place', delayMs: full * (0.75 + random / 4) };
}
