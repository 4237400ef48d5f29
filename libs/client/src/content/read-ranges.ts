import {
  type BlobHash,
  BlobGet,
  CHUNK_BYTES,
  FsRead,
  type PathState,
  PathStateSchema,
  RetraceError,
  RPC_HEADERS,
  type WorkspaceName,
} from '@retrace/contracts';
import type { Answer, CallClient } from '@retrace/messaging';

/** A file as it stood while it was read. */
export interface FileContent {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** For `expected` of a later change. */
  readonly state: PathState;
  /** The bytes as UTF-8. */
  text(): string;
}

const TRIES = 3;
type Calls = Pick<CallClient, 'ask'>;

/** Reads a whole file. Throws `changed_outside` where it changes under the reading each time. */
export async function readFile(calls: Calls, workspace: WorkspaceName, path: string): Promise<FileContent> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const states = new Set<string>();
    const bytes = await readRanges(async (offset) => {
      const answer = await calls.ask(FsRead, workspace, { path, offset, length: CHUNK_BYTES });
      states.add(answer.header(RPC_HEADERS.state) ?? '');
      return states.size > 1 ? undefined : answer;
    });
    if (bytes) return fileContent(path, bytes, [...states][0] ?? '');
  }
  throw new RetraceError('changed_outside', `${path} changed while it was read, ${TRIES} times; read it again`);
}

/** Reads a whole blob. */
export async function readBlob(calls: Calls, workspace: WorkspaceName, hash: BlobHash): Promise<Uint8Array> {
  const bytes = await readRanges((offset) => calls.ask(BlobGet, workspace, { hash, offset, length: CHUNK_BYTES }));
  return bytes ?? new Uint8Array();
}

/** Joins ranges until the size that the answers name is there; `undefined` where `next` gives up. */
async function readRanges(
  next: (offset: number) => Promise<Answer<Uint8Array> | undefined>,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let offset = 0;
  for (;;) {
    const answer = await next(offset);
    if (!answer) return undefined;
    parts.push(answer.reply);
    offset += answer.reply.length;
    const size = Number(answer.header(RPC_HEADERS.size) ?? offset);
    if (offset >= size || answer.reply.length === 0) return parts.length === 1 ? answer.reply : Buffer.concat(parts);
  }
}

function fileContent(path: string, bytes: Uint8Array, header: string): FileContent {
  const state = PathStateSchema.parse(JSON.parse(header));
  return { path, bytes, state, text: () => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8') };
}
