import { createHash } from 'node:crypto';
import {
  BlobGet,
  BlobPut,
  CHUNK_BYTES,
  type ErrorCode,
  errorCodeOf,
  type FileState,
  FsRead,
  RPC_HEADERS,
  type WorkspaceName,
} from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import type { Contents } from '../../ports/contents.port.js';

/** Answers that say: it is not to be had, now or later. */
const NOT_THERE: ReadonlySet<ErrorCode> = new Set([
  'blob_absent',
  'blob_corrupt',
  'blob_mismatch',
  'not_found',
  'absent',
  'not_a_file',
  'link_refused',
  'outside_root',
]);

/** Asks snapshot and execution. */
export class CallContents implements Contents {
  constructor(private readonly calls: Pick<CallClient, 'call'>) {}

  kept(workspace: WorkspaceName, { hash, size }: FileState): Promise<Uint8Array | undefined> {
    return ifThere(() =>
      inRanges(size, (offset, length) => this.calls.call(BlobGet, workspace, { hash, offset, length })),
    );
  }

  async standing(workspace: WorkspaceName, path: string, { hash, size }: FileState): Promise<Uint8Array | undefined> {
    const bytes = await ifThere(() =>
      inRanges(size, (offset, length) => this.calls.call(FsRead, workspace, { path, offset, length })),
    );
    return bytes && createHash('sha256').update(bytes).digest('hex') === hash ? bytes : undefined;
  }

  async keep(workspace: WorkspaceName, hash: string, bytes: Uint8Array): Promise<void> {
    for (let offset = 0; offset === 0 || offset < bytes.length; offset += CHUNK_BYTES) {
      const headers = {
        [RPC_HEADERS.hash]: hash,
        [RPC_HEADERS.offset]: String(offset),
        [RPC_HEADERS.size]: String(bytes.length),
      };
      await this.calls.call(BlobPut, workspace, bytes.subarray(offset, offset + CHUNK_BYTES), { headers });
    }
  }
}

/** `undefined` where it ends before its size. */
async function inRanges(
  size: number,
  read: (offset: number, length: number) => Promise<Uint8Array>,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  for (let offset = 0; offset < size; offset += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, size - offset);
    const chunk = await read(offset, length);
    if (chunk.length !== length) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function ifThere(read: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
  try {
    return await read();
  } catch (error) {
    if (NOT_THERE.has(errorCodeOf(error))) return undefined;
    throw error;
  }
}
