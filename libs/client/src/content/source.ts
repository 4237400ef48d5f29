import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobHash } from '@retrace/contracts';
import { ContentError } from '../errors.js';
import { abortable } from './abortable.js';
import type { ByteStream, Content, FileSource, NamedContent } from './content.js';

const HASH_BYTES = 1024 * 1024;
type Use<T> = (content: NamedContent) => Promise<T>;

/**
 * Reads content that is not in memory, names it and hands it to `use`; never holds more than a piece of it. A stream is
 * hashed while it goes to a temporary file, which is gone when this settles. Throws {@link ContentError}.
 */
export function withSource<T>(
  content: Exclude<Content, string>,
  use: Use<T>,
  signal: AbortSignal | undefined,
  spools = tmpdir(),
): Promise<T> {
  if (isFileSource(content)) return withFile(content.file, use, signal);
  if (isStream(content)) return withSpooled(content, use, signal, spools);
  throw new ContentError('content_invalid', 'content is text, bytes, {file}, a stream of bytes, or {hash, size}');
}

async function withFile<T>(file: string, use: Use<T>, signal: AbortSignal | undefined): Promise<T> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new ContentError('content_unreadable', `${file}: ${(cause as Error).message}`, { cause });
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ContentError('content_unreadable', `${file} is no regular file`);
    return await use({ ...(await hashOf(handle, file, signal)), read: readerOf(handle, file) });
  } finally {
    await handle.close();
  }
}

async function hashOf(
  handle: FileHandle,
  file: string,
  signal: AbortSignal | undefined,
): Promise<{ hash: BlobHash; size: number }> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(HASH_BYTES);
  let size = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await readable(handle.read(buffer, 0, buffer.length, size), file);
    if (bytesRead === 0) return { hash: hash.digest('hex') as BlobHash, size };
    hash.update(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
}

const readerOf =
  (handle: FileHandle, file: string) =>
  async (offset: number, length: number): Promise<Uint8Array> => {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await readable(handle.read(buffer, 0, length, offset), file);
    if (bytesRead < length)
      throw new ContentError('content_changed', `${file} became shorter while it was sent; send it again`);
    return buffer;
  };

async function withSpooled<T>(
  stream: ByteStream,
  use: Use<T>,
  signal: AbortSignal | undefined,
  spools: string,
): Promise<T> {
  const folder = await mkdtemp(join(spools, 'retrace-spool-'));
  try {
    const file = join(folder, 'content');
    const handle = await open(file, 'wx+', 0o600);
    try {
      return await use({ ...(await spool(stream, handle, signal)), read: readerOf(handle, file) });
    } finally {
      await handle.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function spool(
  stream: ByteStream,
  to: FileHandle,
  signal: AbortSignal | undefined,
): Promise<{ hash: BlobHash; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of abortable(stream, signal)) {
    const bytes = bytesOf(chunk);
    hash.update(bytes);
    await to.appendFile(bytes);
    size += bytes.length;
  }
  return { hash: hash.digest('hex') as BlobHash, size };
}

function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk, 'utf8');
  throw new ContentError('content_invalid', `a stream of content gives bytes or text, this one gave ${typeof chunk}`);
}

const readable = <T>(reading: Promise<T>, file: string): Promise<T> =>
  reading.catch((cause: unknown) => {
    throw new ContentError('content_unreadable', `${file}: ${(cause as Error).message}`, { cause });
  });

const isFileSource = (content: unknown): content is FileSource =>
  typeof (content as { file?: unknown } | null)?.file === 'string';

const isStream = (content: unknown): content is ByteStream =>
  typeof (content as { [Symbol.asyncIterator]?: unknown } | null)?.[Symbol.asyncIterator] === 'function';
