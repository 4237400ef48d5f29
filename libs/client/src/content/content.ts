import { createHash } from 'node:crypto';
import type { BlobHash } from '@retrace/contracts';

/** Content that was put before, by its hash. */
export interface StoredContent {
  readonly hash: BlobHash;
  readonly size: number;
}

/** A file on this machine, outside of any workspace as a rule. It must not change until the call is settled. */
export interface FileSource {
  readonly file: string;
}

/** Bytes of unknown length: an async iterable, a Node `Readable`, a Web `ReadableStream`. Text chunks go as UTF-8. */
export type ByteStream = AsyncIterable<Uint8Array | string>;

/** Text goes as UTF-8. Bytes must not change until the call that took them is settled. A stream is read once. */
export type Content = string | Uint8Array | StoredContent | FileSource | ByteStream;

/** Content with its name. Neither `bytes` nor `read`: the store has it already. */
export interface NamedContent extends StoredContent {
  readonly bytes?: Uint8Array;
  /** Where it is not in memory. Answers at most `length` bytes from `offset`. */
  readonly read?: (offset: number, length: number) => Promise<Uint8Array>;
}

/** Names what is in memory or in the store; `undefined`: it must be read first, see {@link withSource}. */
export function nameContent(content: Content): NamedContent | undefined {
  if (typeof content === 'string') return nameBytes(Buffer.from(content, 'utf8'));
  if (content instanceof Uint8Array) return nameBytes(content);
  return 'hash' in content ? { hash: content.hash, size: content.size } : undefined;
}

export const nameBytes = (bytes: Uint8Array) => ({
  hash: createHash('sha256').update(bytes).digest('hex') as BlobHash,
  size: bytes.length,
  bytes,
});
