import {
  type ApplyIntent,
  MAX_OPERATIONS_BLOB_BYTES,
  MAX_OPERATIONS_PER_INTENT,
  MAX_OPERATIONS_PER_LOGICAL_OPERATION,
  type OperationRequest,
  OperationRequestSchema,
  type PathState,
} from '@retrace/contracts';
import { z } from 'zod';
import type { ContentStore } from '../content/content-store.js';
import { nameBytes, nameContent, type NamedContent, type StoredContent } from '../content/content.js';
import { inPool } from '../content/in-pool.js';
import { IntentNotSent, UploadFailedError } from '../errors.js';
import type { Draft } from '../operations.js';

/** Operations over this many bytes travel as a blob: the intent must stay well below what the bus takes. */
const INLINE_BYTES = 200 * 1024;
/** Policy waits 30 s for content; more than this is put before the intent is sent. */
const PUT_FIRST_BYTES = 32 * 1024 * 1024;
/** Contents that are read and put at once. */
const AT_ONCE = 64;

/** The intent without its operations. */
export type ApplyHead = Omit<ApplyIntent, 'operations' | 'operations_blob'>;

export interface ReadyToSend {
  readonly intent: ApplyIntent;
  /** Goes to the store while the intent is on its way. */
  readonly contents: readonly NamedContent[];
}

/** A logical operation as it was asked for. */
export interface Asked {
  readonly head: ApplyHead;
  readonly drafts: readonly Draft[];
  /** In the order of the drafts. */
  readonly expected: readonly (PathState | undefined)[];
  readonly signal: AbortSignal | undefined;
}

/** Answers what can be sent at once; `undefined`: something must be read or put before, see {@link prepareApply}. */
export function readyApply({ head, drafts, expected }: Asked): ReadyToSend | undefined {
  if (drafts.length > MAX_OPERATIONS_PER_INTENT) return undefined;
  const named = drafts.map(({ content }) => (content === undefined ? undefined : nameContent(content)));
  if (drafts.some(({ content }, index) => content !== undefined && !named[index])) return undefined;
  const contents = named.filter((content) => content?.bytes !== undefined) as NamedContent[];
  if (contents.reduce((sum, { size }) => sum + size, 0) > PUT_FIRST_BYTES) return undefined;
  const operations = drafts.map(({ request }, index) => request(expected[index], named[index]));
  if (Buffer.byteLength(JSON.stringify(operations)) > INLINE_BYTES) return undefined;
  return { intent: { ...head, operations }, contents };
}

/**
 * Puts what must be there before the intent is sent: contents that had to be read, many or large ones, and the
 * operations themselves where an intent cannot list them. Throws IntentNotSent, UploadFailedError, or the signal's reason.
 */
export async function prepareApply(asked: Asked, store: ContentStore): Promise<ReadyToSend> {
  const { head, drafts, expected, signal } = asked;
  refuseTooMany(drafts.length);
  const stored = await uploading(asked, () => putContents(drafts, store, signal));
  const operations = drafts.map(({ request }, index) => request(expected[index], stored[index]));
  const body = Buffer.from(JSON.stringify(operations), 'utf8');
  if (operations.length <= MAX_OPERATIONS_PER_INTENT && body.length <= INLINE_BYTES)
    return { intent: { ...head, operations }, contents: [] };
  return { intent: await withBlob(asked, operations, body, store), contents: [] };
}

async function withBlob(
  asked: Asked,
  operations: readonly OperationRequest[],
  body: Buffer,
  store: ContentStore,
): Promise<ApplyIntent> {
  const parsed = z.array(OperationRequestSchema).safeParse(operations);
  if (!parsed.success) throw new IntentNotSent('malformed_intent', z.prettifyError(parsed.error));
  if (body.length > MAX_OPERATIONS_BLOB_BYTES)
    throw new IntentNotSent(
      'intent_too_large',
      `the operations of one intent have at most ${MAX_OPERATIONS_BLOB_BYTES} bytes, these ${body.length}; split them`,
    );
  const { hash, size } = await uploading(asked, () => store.upload(nameBytes(body)));
  return { ...asked.head, operations: [], operations_blob: { hash, size, count: operations.length } };
}

/** What is in memory travels together; the rest is read as there is room. In the order of the drafts. */
async function putContents(
  drafts: readonly Draft[],
  store: ContentStore,
  signal: AbortSignal | undefined,
): Promise<(StoredContent | undefined)[]> {
  const named = drafts.map(({ content }) => (content === undefined ? undefined : nameContent(content)));
  const [, stored] = await Promise.all([
    store.uploadAll(named.filter((content) => content !== undefined)),
    inPool([...drafts.entries()], AT_ONCE, async ([index, { content }]) => {
      signal?.throwIfAborted();
      return content === undefined || named[index] ? named[index] : store.put(content, signal);
    }),
  ]);
  return stored.map((content) => content && { hash: content.hash, size: content.size });
}

async function uploading<T>({ head, signal }: Asked, upload: () => Promise<T>): Promise<T> {
  try {
    return await upload();
  } catch (error) {
    if (signal?.aborted || error instanceof TypeError) throw error;
    throw new UploadFailedError(head.intent_id, error);
  }
}

function refuseTooMany(count: number): void {
  if (count > MAX_OPERATIONS_PER_LOGICAL_OPERATION)
    throw new IntentNotSent(
      'too_many_operations',
      `a logical operation has at most ${MAX_OPERATIONS_PER_LOGICAL_OPERATION} operations, this one ${count}; split it`,
    );
}
