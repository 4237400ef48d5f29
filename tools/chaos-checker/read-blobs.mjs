import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { sha256 } from './read-tree.mjs';

const AT_ONCE = 16;
const CHUNK = 512 * 1024;
const TRIES = 5;

/** Reads every blob that an event names into a file of its hash. Answers why the others could not be read. */
export async function readBlobs({ url, user, password, inbox_prefix: inboxPrefix }, workspace, log, folder) {
  const connection = await connect({ servers: url, user, pass: password, inboxPrefix });
  const waiting = [...namedBlobs(log)];
  const failed = {};
  const subject = `retrace.rpc.${user}.${workspace}.blob.get`;
  const work = async () => {
    for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop())
      try {
        writeFileSync(join(folder, hash), await readBlob(connection, subject, hash));
      } catch (error) {
        failed[hash] = error.message;
      }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await connection.close();
  }
  return failed;
}

/** The fields that name contents. Hashes of states and plans are 64 hex digits too, but no contents. */
const NAMES = new Set(['hash', 'content_hash', 'manifest_hash']);

export function namedBlobs(log) {
  const hashes = new Set();
  const look = (value, key) => {
    if (typeof value === 'string') {
      if (NAMES.has(key) && /^[0-9a-f]{64}$/.test(value)) hashes.add(value);
    } else if (value !== null && typeof value === 'object')
      for (const [name, inner] of Object.entries(value)) look(inner, Array.isArray(value) ? key : name);
  };
  for (const { subject, body } of log) if (!subject.endsWith('.denied')) look(JSON.parse(body), '');
  return hashes;
}

async function readBlob(connection, subject, hash) {
  const parts = [];
  for (let offset = 0; ;) {
    const reply = await patiently(connection, subject, JSON.stringify({ hash, offset, length: CHUNK }));
    const error = reply.headers?.get('Retrace-Error');
    if (error) throw new Error(`${error}: ${reply.string()}`);
    parts.push(reply.data);
    offset += reply.data.length;
    if (offset >= Number(reply.headers.get('Retrace-Size')) || reply.data.length === 0) break;
  }
  const bytes = Buffer.concat(parts);
  if (sha256(bytes) !== hash) throw new Error(`what was answered has the hash ${sha256(bytes)}`);
  return bytes;
}

async function patiently(connection, subject, body) {
  for (let tries = 1; ; tries += 1)
    try {
      return await connection.request(subject, body, { timeout: 10_000 });
    } catch (error) {
      if (tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
}
