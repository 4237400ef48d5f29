import { createHash } from 'node:crypto';
import type { BlobHash } from '@retrace/contracts';

/** Content that was put before, by its hash. */
export interface StoredContent {
  readonly hash: BlobHash;
  readonly size: number;
}

/** Text goes as UTF-8. Bytes must not change until the call that took them is settled. */
export type Content = string | Uint8Array | StoredContent;

/** Content with its name; without `bytes` where the store has it already. */
export interface NamedContent extends StoredContent {
  readonly bytes?: Uint8Array;
}

export function nameContent(content: Content): NamedContent {
  if (typeof content !== 'string' && !(content instanceof Uint8Array)) return content;
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return { hash: createHash('sha256').update(bytes).digest('hex') as BlobHash, size: bytes.length, bytes };
}
