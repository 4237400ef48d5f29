import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

/** Every message of a stream under a subject, in order, as it stands there. */
export async function readStream({ url, user, password }, stream, subject) {
  const connection = await connect({ servers: url, user, pass: password });
  try {
    const jsm = await jetstreamManager(connection, { checkAPI: false });
    const { state } = await jsm.streams.info(stream);
    if (state.messages === 0) return [];
    return await readAll(connection, stream, subject);
  } finally {
    await connection.close();
  }
}

async function readAll(connection, stream, subject) {
  const consumer = await jetstream(connection).consumers.get(stream, { filter_subjects: [subject] });
  const read = [];
  const { num_pending } = await consumer.info();
  if (num_pending === 0) return read;
  const batch = await consumer.consume({ max_messages: 500 });
  for await (const message of batch) {
    read.push(asLine(message));
    if (message.info.pending === 0) break;
  }
  return read;
}

const asLine = (message) => ({
  sequence: message.seq,
  subject: message.subject,
  headers: Object.fromEntries(message.headers ? message.headers.keys().map((k) => [k, message.headers.get(k)]) : []),
  body: message.string(),
});
