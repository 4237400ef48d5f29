import { RPC_HEADERS } from '@retrace/contracts';
import { headers as newHeaders, type NatsConnection } from '@nats-io/transport-node';
import type { FuzzCase } from './cases.js';

/** What became of one message at once: `taken` into the door at a place, answered, refused by the bus, or nothing. */
export type Verdict =
  | { readonly kind: 'taken'; readonly sequence: number }
  | { readonly kind: 'answered'; readonly code: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'silence'; readonly why: string };

/** More than a client waits by default, as many wait at once; a call of the log may wait 20 s itself. */
const ANSWER_MS = 45_000;

/** Sends a case as a plain client does. Never throws. */
export async function send(connection: NatsConnection, one: FuzzCase): Promise<Verdict> {
  const headers = newHeaders();
  for (const [name, value] of Object.entries(one.headers)) headers.append(name, value);
  const body = Buffer.from(one.body, 'base64');
  try {
    const reply = await connection.request(one.subject, body, { timeout: ANSWER_MS, headers });
    if (!one.subject.startsWith('retrace.intent.'))
      return { kind: 'answered', code: reply.headers?.get(RPC_HEADERS.error) || 'ok' };
    const { seq, duplicate, error } = reply.json<{
      seq?: number;
      duplicate?: boolean;
      error?: { description: string };
    }>();
    // Sent with a message id that somebody used before: the sender is told that nothing was taken.
    if (duplicate) return { kind: 'refused', why: 'duplicate' };
    // A refusal (too large, no room) names sequence 0.
    return error || seq === undefined
      ? { kind: 'refused', why: error?.description ?? 'no acknowledgement' }
      : { kind: 'taken', sequence: seq };
  } catch (error) {
    const { name, message, cause } = error as Error;
    const kindOf = cause instanceof Error ? cause.name : name;
    // Nobody serves such a subject, or it is no subject: the bus said so at once.
    const atOnce = ['NoRespondersError', 'PermissionViolationError', 'InvalidSubjectError', 'InvalidArgumentError'];
    if (atOnce.includes(kindOf)) return { kind: 'refused', why: kindOf };
    return { kind: 'silence', why: `${kindOf}: ${message}` };
  }
}
