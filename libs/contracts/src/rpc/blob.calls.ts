import { z } from 'zod';
import { PrincipalSchema } from '../names.js';
import { BlobHashSchema } from '../path-state.js';
import { CheckSchema } from './fs.calls.js';
import { CHUNK_BYTES } from './headers.js';
import { BytesSchema } from './bytes.js';
import { defineCall } from './define-call.js';

/**
 * Body: one chunk; headers `Retrace-Hash`, `Retrace-Offset`, `Retrace-Size` (of the whole). The chunk that completes the
 * content is answered `done: true` once the bytes were hashed and are durable. Always takes the whole content, so that
 * nobody learns what is already there. Services put what they made themselves (a merged text, a manifest) the same way.
 */
export const BlobPut = defineCall(
  'blob',
  'put',
  BytesSchema,
  z.object({ received: z.int().min(0), done: z.boolean() }),
);

/**
 * Many small contents in one body (`encodeContents`), at most {@link CHUNK_BYTES} of them: answered once all are durable.
 * Else as `put`.
 */
export const BlobPutMany = defineCall('blob', 'put_many', BytesSchema, z.object({ stored: z.int().min(0) }));

/** One range of a blob, at most {@link CHUNK_BYTES}; the reply's body is the bytes, `Retrace-Size` the whole size. */
export const BlobGet = defineCall(
  'blob',
  'get',
  z.object({ hash: BlobHashSchema, offset: z.int().min(0), length: z.int().min(1).max(CHUNK_BYTES) }),
  BytesSchema,
);

/** Services only: which of these that principal has not uploaded, after waiting up to `wait_ms` for them. */
export const BlobMissing = defineCall(
  'blob',
  'missing',
  z.object({ principal: PrincipalSchema, hashes: z.array(BlobHashSchema), wait_ms: z.int().min(0).max(60_000) }),
  z.object({ missing: z.array(BlobHashSchema) }),
);

/** Services only: which of these the store holds. */
export const BlobPresent = defineCall(
  'blob',
  'present',
  z.object({ hashes: z.array(BlobHashSchema) }),
  z.object({ present: z.array(BlobHashSchema) }),
);

/** Operators only. Looks at the blob store: that it takes and gives content, and its disk. */
export const BlobCheck = defineCall('blob', 'check', z.object({}), z.object({ checks: z.array(CheckSchema) }));

/** Services only, on one host: take over the bytes of many files; they are left alone. In the order of `files`. */
export const BlobAdoptMany = defineCall(
  'blob',
  'adopt_many',
  z.object({
    files: z.array(z.object({ hash: BlobHashSchema, size: z.int().min(0), file: z.string() })).max(1000),
  }),
  z.object({ adopted: z.array(z.object({ hash: BlobHashSchema, problem: z.string().nullable() })) }),
);

/** Services only, on one host: take over the bytes of a file; the file is left alone. */
export const BlobAdopt = defineCall(
  'blob',
  'adopt',
  z.object({ hash: BlobHashSchema, size: z.int().min(0), file: z.string() }),
  z.object({ adopted: z.boolean() }),
);
