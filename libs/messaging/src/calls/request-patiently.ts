import { setTimeout as sleep } from 'node:timers/promises';
import { type CallDefinition, callPattern, RetraceError } from '@retrace/contracts';
import { type Msg, type MsgHdrs, type NatsConnection, NoRespondersError, TimeoutError } from '@nats-io/transport-node';

/** A service that starts again, or accounts that are loaded anew, leave a call without a responder for this long. */
const PATIENCE_MS = 6_000;
const PAUSE_MS = 50;

export interface RequestOptions {
  /** Milliseconds, all tries together. */
  readonly timeout: number;
  readonly headers?: MsgHdrs;
}

/**
 * Sends a request and answers the reply. "No responders" means that it reached nobody, so it is sent again for a while;
 * everything else is told at once. Rejects with {@link RetraceError} `unavailable` or `timeout`.
 */
export async function requestPatiently(
  connection: NatsConnection,
  subject: string,
  body: Uint8Array | string,
  { timeout, headers }: RequestOptions,
  call: CallDefinition,
): Promise<Msg> {
  const started = performance.now();
  for (;;) {
    const left = timeout - (performance.now() - started);
    try {
      return await connection.request(subject, body, { timeout: Math.max(1, left), ...(headers && { headers }) });
    } catch (cause) {
      const waited = performance.now() - started;
      if (!reachedNobody(cause) || waited + PAUSE_MS > Math.min(timeout, PATIENCE_MS))
        throw failure(cause, timeout, call);
      await sleep(PAUSE_MS);
    }
  }
}

const reachedNobody = (error: unknown): boolean =>
  error instanceof NoRespondersError || (error instanceof Error && error.cause instanceof NoRespondersError);

function failure(cause: unknown, timeout: number, call: CallDefinition): RetraceError {
  const late = cause instanceof TimeoutError;
  const what = reachedNobody(cause) ? 'no service answers' : late ? `no answer in ${timeout} ms to` : 'the bus refused';
  const message = `${what} ${callPattern(call)}. Is it up? See: retrace status`;
  return new RetraceError(late ? 'timeout' : 'unavailable', message, { cause });
}
