import { z } from 'zod';
import { RetraceError } from '../error-codes.js';
import { type BlobHash, BlobHashSchema } from '../path-state.js';

/** A small content with its name. */
export interface NamedBytes {
  readonly hash: BlobHash;
  readonly bytes: Uint8Array;
}

/** Contents in one body of `blob.put_many`. */
export const MAX_CONTENTS = 1_000;

const LENGTH_BYTES = 4;
const TableSchema = z.array(z.tuple([BlobHashSchema, z.int().min(0)])).max(MAX_CONTENTS);

/**
 * One body of many contents: four bytes, big-endian, with the length of the table; the table, JSON `[[hash, size], …]`;
 * the contents, one behind the other.
 */
export function encodeContents(contents: readonly NamedBytes[]): Uint8Array {
  const table = new TextEncoder().encode(JSON.stringify(contents.map(({ hash, bytes }) => [hash, bytes.length])));
  const body = new Uint8Array(LENGTH_BYTES + table.length + contents.reduce((sum, { bytes }) => sum + bytes.length, 0));
  new DataView(body.buffer).setUint32(0, table.length);
  body.set(table, LENGTH_BYTES);
  let at = LENGTH_BYTES + table.length;
  for (const { bytes } of contents) {
    body.set(bytes, at);
    at += bytes.length;
  }
  return body;
}

/** The inverse of {@link encodeContents}; windows on the body. Throws {@link RetraceError} `bad_request`. */
export function decodeContents(body: Uint8Array): NamedBytes[] {
  const table = tableOf(body);
  let at = table.end;
  const contents = table.rows.map(([hash, size]) => {
    at += size;
    return { hash, bytes: body.subarray(at - size, at) };
  });
  if (at !== body.length) throw bad(`its table promises ${at} bytes, the body has ${body.length}`);
  return contents;
}

function tableOf(body: Uint8Array) {
  if (body.length < LENGTH_BYTES) throw bad('it has no table');
  const end = LENGTH_BYTES + new DataView(body.buffer, body.byteOffset).getUint32(0);
  if (end > body.length) throw bad('its table is longer than the body');
  const rows = TableSchema.safeParse(parse(new TextDecoder().decode(body.subarray(LENGTH_BYTES, end))));
  if (!rows.success) throw bad(z.prettifyError(rows.error));
  return { rows: rows.data, end };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const bad = (why: string): RetraceError => new RetraceError('bad_request', `a body of many contents: ${why}`);
