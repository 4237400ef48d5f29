import {
  type BlobHash,
  BlobGet,
  CHUNK_BYTES,
  FsRead,
  type PathState,
  PathStateSchema,
  RPC_HEADERS,
  type WorkspaceName,
} from '@retrace/contracts';
import type { Answer, CallClient } from '@retrace/messaging/client';
import { ChangedWhileReadError } from '../errors.js';

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
type Ask = (offset: number) => Promise<Answer<Uint8Array>>;

/** Reads a whole file. Throws {@link ChangedWhileReadError} where it changes under the reading each time. */
export async function readFile(calls: Calls, workspace: WorkspaceName, path: string): Promise<FileContent> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      let state: PathState | undefined;
      const chunks = readFileChunks(calls, workspace, path, (found) => (state = found));
      return fileContent(path, await joined(chunks), state!);
    } catch (error) {
      if (!(error instanceof ChangedWhileReadError) || attempt === TRIES) throw error;
    }
  }
}

/**
 * Reads a file chunk by chunk, each when it is asked for; `onState` hears of the state that all of them belong to once
 * the last one is there. Throws {@link ChangedWhileReadError} where the file changes midway.
 */
export async function* readFileChunks(
  calls: Calls,
  workspace: WorkspaceName,
  path: string,
  onState: (state: PathState) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  let first: string | undefined;
  yield* ranges(async (offset) => {
    const answer = await calls.ask(FsRead, workspace, { path, offset, length: CHUNK_BYTES });
    const state = answer.header(RPC_HEADERS.state) ?? '';
    first ??= state;
    if (state !== first) throw new ChangedWhileReadError(path);
    return answer;
  });
  onState(PathStateSchema.parse(JSON.parse(first ?? '')));
}

/** Reads a whole blob. */
export const readBlob = (calls: Calls, workspace: WorkspaceName, hash: BlobHash): Promise<Uint8Array> =>
  joined(readBlobChunks(calls, workspace, hash));

/** Reads a blob chunk by chunk, each when it is asked for. */
export const readBlobChunks = (calls: Calls, workspace: WorkspaceName, hash: BlobHash): AsyncGenerator<Uint8Array> =>
  ranges((offset) => calls.ask(BlobGet, workspace, { hash, offset, length: CHUNK_BYTES }));

/** Asks for one range after the other until the size that the answers name is there. */
async function* ranges(ask: Ask): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ;) {
    const { reply, header } = await ask(offset);
    if (reply.length > 0) yield reply;
    offset += reply.length;
    if (reply.length === 0 || offset >= Number(header(RPC_HEADERS.size) ?? offset)) return;
  }
}

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

const fileContent = (path: string, bytes: Uint8Array, state: PathState): FileContent => ({
  path,
  bytes,
  state,
  text: () => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'),
});
