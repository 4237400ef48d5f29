import { constants } from 'node:fs';
import { access, type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Content } from '@retrace/client';
import type { CliIo } from '../cli-io.js';
import { UsageError } from '../usage-error.js';

export interface ContentOptions {
  readonly content?: string;
  readonly file?: string;
}

/** The content as given: a text, a local file (`-`: stdin), or what comes on stdin. */
export async function readContent(io: CliIo, { content, file }: ContentOptions): Promise<Content> {
  if (content !== undefined && file !== undefined) throw new UsageError('give --content or --file, not both');
  if (content !== undefined) return content;
  if (file !== undefined && file !== '-') return localContent(io, file);
  if (file === undefined && !io.stdinIsGiven)
    throw new UsageError('what content? Give --content TEXT, --file FILE (-: stdin), or pipe it in');
  return io.readStdin();
}

/**
 * A file on this machine, named from the current folder, as content: it is read when it is sent, piece by piece. What is
 * no regular file (a pipe) is read at once. Throws {@link UsageError}.
 */
export async function localContent(io: CliIo, file: string): Promise<Content> {
  const path = resolve(io.cwd, file);
  const regular = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!regular) return readLocal(io, file);
  await access(path, constants.R_OK).catch((cause: Error) => {
    throw new UsageError(`${file} (${path}) cannot be read: ${cause.message}`, { cause });
  });
  return { file: path };
}

/** Reads a file on this machine, named from the current folder. Throws {@link UsageError}. */
export async function readLocal(io: CliIo, file: string): Promise<Uint8Array> {
  const path = resolve(io.cwd, file);
  return readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} (${path}) cannot be read: ${cause.message}`, { cause });
  });
}

/**
 * Reads a file on this machine (`-`: stdin) that is a text for a person: a regular file of at most `limit` bytes, so
 * that reading it ends. Throws {@link UsageError}.
 */
export async function readSmallLocal(io: CliIo, file: string, limit: number): Promise<Uint8Array> {
  const bytes = file === '-' ? await io.readStdin(limit) : await readRegular(io, file, limit);
  if (bytes.length > limit) throw new UsageError(`${file} is larger than ${limit / 1024} KiB: is it the right file?`);
  return bytes;
}

async function readRegular(io: CliIo, file: string, limit: number): Promise<Uint8Array> {
  const path = resolve(io.cwd, file);
  let handle: FileHandle | undefined;
  try {
    // Without it, opening a named pipe waits for a writer.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) throw new Error('no regular file; give - to read from stdin');
    return await readAtMost(handle, limit + 1);
  } catch (cause) {
    const { message } = cause as Error;
    throw new UsageError(`${file} (${path}) cannot be read: ${message}`, { cause });
  } finally {
    await handle?.close();
  }
}

/** A file may grow while it is read, and some say that they are empty. */
async function readAtMost(handle: FileHandle, bytes: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await handle.read(buffer, filled, bytes - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
