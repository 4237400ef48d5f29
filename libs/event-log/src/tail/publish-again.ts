import { type JetStreamClient, JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import { type MsgHdrs, headers as newHeaders, type NatsConnection } from '@nats-io/transport-node';
import { newId } from '../new-id.js';
import type { RememberedEvent, WireMessage } from './remembered-event.js';

const WRONG_LAST_SEQUENCE = new Set([10071, 10164]);
const DUPLICATE_IN_BATCH = 10201;
const ACK_MS = 5_000;

/** Something else stands where an event was to go. */
export const TAKEN = 'taken';

export interface Bus {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly stream: string;
}

/**
 * Publishes an event as it went over the wire before, under its old ids. `after`: only where the log ends there, else
 * {@link TAKEN}. Answers the place of its last page. Rejects where nobody answers, or the log refuses it.
 */
export async function publishAgain(bus: Bus, event: RememberedEvent, after?: number): Promise<number | typeof TAKEN> {
  try {
    if (event.messages.length === 1) return await one(bus, event, after);
    // Pages of which the broker lost the rest, but remembers the ids, are no event.
    return (await batch(bus, event, after, true)) ?? (await batch(bus, event, after, false))!;
  } catch (error) {
    if (error instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.has(error.code)) return TAKEN;
    throw error;
  }
}

async function one({ js }: Bus, { id, subject, messages }: RememberedEvent, after?: number): Promise<number> {
  const { headers, body } = messages[0]!;
  const options = { msgID: id, headers: toHeaders(headers), timeout: ACK_MS };
  const expect = after === undefined ? {} : { expect: { lastSequence: after } };
  return (await js.publish(subject, body, { ...options, ...expect })).seq;
}

interface BatchAck {
  readonly seq: number;
  readonly error?: { readonly code: number; readonly err_code: number; readonly description: string };
}

/** All pages or none. `undefined`: the broker has some of them within its memory of ids. */
async function batch(
  { connection }: Bus,
  { id, subject, messages }: RememberedEvent,
  after: number | undefined,
  messageIds: boolean,
): Promise<number | undefined> {
  const name = newId('evt').slice('evt_'.length);
  let sequence = 0;
  for (const [i, { headers, body }] of messages.entries()) {
    const values: Record<string, string> = { ...headers, 'Nats-Batch-Id': name, 'Nats-Batch-Sequence': `${i + 1}` };
    if (messageIds) values['Nats-Msg-Id'] = `${id}/${i + 1}`;
    if (i === 0 && after !== undefined) values['Nats-Expected-Last-Sequence'] = `${after}`;
    if (i === messages.length - 1) values['Nats-Batch-Commit'] = '1';
    const answer = await connection.request(subject, body, { headers: toHeaders(values), timeout: ACK_MS });
    if (answer.data.length === 0) continue;
    const { seq, error } = answer.json<BatchAck>();
    if (error?.err_code === DUPLICATE_IN_BATCH) return undefined;
    if (error) throw new JetStreamApiError(error);
    sequence = seq;
  }
  return sequence;
}

function toHeaders(values: WireMessage['headers']): MsgHdrs {
  const headers = newHeaders();
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  return headers;
}
