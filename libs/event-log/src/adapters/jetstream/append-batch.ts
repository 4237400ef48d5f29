import { type EncodedEvent, RetraceError } from '@retrace/contracts';
import { failpoint } from '@retrace/platform/failpoint';
import { JetStreamApiError } from '@nats-io/jetstream';
import { headers as newHeaders, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { newId } from '../../new-id.js';

const ATOMIC_DISABLED = 10174;
const DUPLICATE_IN_BATCH = 10201;
const ACK_MS = 5_000;

interface BatchAck {
  readonly seq: number;
  readonly error?: { readonly code: number; readonly err_code: number; readonly description: string };
}

/**
 * Appends messages all or none, next to each other, and answers the sequence of the last. `messageIds`: the broker is
 * to refuse what it has within its memory of ids; it then answers `undefined`, and nothing is appended.
 * Each message waits for the broker's answer to the one before, so one of them is under way at a time.
 */
export async function appendBatch(
  connection: NatsConnection,
  messages: readonly EncodedEvent[],
  messageIds: boolean,
): Promise<number | undefined> {
  const batch = newId('evt').slice('evt_'.length);
  let sequence = 0;
  for (const [index, { subject, headers, body }] of messages.entries()) {
    const place = index + 1;
    if (index > 0) failpoint('append.between-pages');
    const values: Record<string, string> = { ...headers, 'Nats-Batch-Id': batch, 'Nats-Batch-Sequence': `${place}` };
    if (messageIds) values['Nats-Msg-Id'] = `${headers['ce-id']}/${place}`;
    if (place === messages.length) values['Nats-Batch-Commit'] = '1';
    const answer = await connection.request(subject, body, { headers: toHeaders(values), timeout: ACK_MS });
    if (answer.data.length === 0) continue;
    const { seq, error } = answer.json<BatchAck>();
    if (error?.err_code === DUPLICATE_IN_BATCH) return undefined;
    if (error) throw refusal(error);
    sequence = seq;
  }
  return sequence;
}

function refusal(error: NonNullable<BatchAck['error']>): Error {
  const cause = new JetStreamApiError(error);
  if (error.err_code !== ATOMIC_DISABLED) return cause;
  const message = 'the log takes no atomic batches: start the bus with this version of Retrace, which allows them';
  return new RetraceError('unavailable', message, { cause });
}

export function toHeaders(values: Readonly<Record<string, string>>): MsgHdrs {
  const headers = newHeaders();
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  return headers;
}
