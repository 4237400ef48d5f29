import { createHash } from 'node:crypto';
import { type OperationRequest, OperationRequestSchema, type OperationsBlob, parseSafely } from '@retrace/contracts';
import { z } from 'zod';
import type { ReadOperations } from '../domain/decision-input.js';
import { problemOfOperationId } from './minted-ids.js';

const MAX_PROBLEM = 2000;

/** Reads a blob of operations, one after another. What it holds is the sender's own text: any of it may be wrong. */
export function* readOperations(bytes: Uint8Array, blob: OperationsBlob): Generator<void, ReadOperations> {
  if (bytes.length !== blob.size) return wrong(`it has ${bytes.length} bytes, the intent says ${blob.size}`);
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (hash !== blob.hash) return wrong(`its sha256 is ${hash}, the intent names ${blob.hash}`);
  yield;
  const listed = parseJson(bytes);
  if (!Array.isArray(listed)) return wrong('it is no JSON array');
  if (listed.length !== blob.count) return wrong(`it lists ${listed.length} operations, the intent says ${blob.count}`);
  yield;
  const operations: OperationRequest[] = [];
  for (const [index, item] of listed.entries()) {
    yield;
    const parsed = parseSafely(OperationRequestSchema, item);
    if (!parsed.success)
      return wrong(`operation ${index} of it is not of the contract's form:\n${problemOf(parsed.error)}`);
    const problem = problemOfOperationId(parsed.data, `operation_id of operation ${index}`);
    if (problem !== undefined) return wrong(problem);
    operations.push(parsed.data);
  }
  return { kind: 'read', operations };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch {
    return undefined;
  }
}

const problemOf = (error: z.ZodError): string => z.prettifyError(error).slice(0, MAX_PROBLEM);

const wrong = (what: string): ReadOperations => ({
  kind: 'malformed',
  message: `the blob of operations was not taken: ${what}. Upload it anew and send a new intent`,
});
