import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliIo } from '../cli-io.js';
import { UsageError } from '../usage-error.js';

export interface ContentOptions {
  readonly content?: string;
  readonly file?: string;
}

/** The content as given: a text, a local file (`-`: stdin), or what comes on stdin. */
export async function readContent(io: CliIo, { content, file }: ContentOptions): Promise<string | Uint8Array> {
  if (content !== undefined && file !== undefined) throw new UsageError('give --content or --file, not both');
  if (content !== undefined) return content;
  if (file !== undefined && file !== '-') return readLocal(io, file);
  if (file === undefined && io.canAsk) throw new UsageError('what content? Give --content, --file, or pipe it in');
  return io.readStdin();
}

/** Reads a file on this machine, named from the current folder. Throws {@link UsageError}. */
export async function readLocal(io: CliIo, file: string): Promise<Uint8Array> {
  const path = resolve(io.cwd, file);
  return readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} (${path}) cannot be read: ${cause.message}`, { cause });
  });
}
