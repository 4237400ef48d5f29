import { closeSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { BlobAdoptMany, BlobPut, type BlobHash, CHUNK_BYTES, errorCodeOf, RPC_HEADERS } from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import { isFsError, O, openAt, resolveBeneath, withHandle } from '@retrace/workspace-fs';
import type { Blobs } from '../ports/blobs.port.js';
import { unlessAborted } from '../publishing/unless-aborted.js';
import { BaselineContents, type FileToStore } from './baseline-contents.port.js';
import { isPassing } from './patiently.js';

const readLater = promisify(read);

/** What one call holds: the bus takes no more in a message. */
const CALL_BYTES = 400 * 1024;
const CALL_FILES = 1000;
/** A snapshot service that died in the middle never answers: asking again is safe, and is to come soon. */
const FIRST_MS = 15_000;
/** A disk that is slower than this is taken for dead. */
const SLOWEST_BYTES_PER_MS = 5_000;

type Outcome = undefined | 'changed' | { readonly why: string };
type Root = { readonly path: string; readonly rootFd: number };

/**
 * Hands contents to the snapshot service, which takes over files of this host by itself. What it cannot reach, being on
 * another host or under another account, is sent.
 */
export class BusBaselineContents extends BaselineContents {
  private reachesFiles = true;

  constructor(
    private readonly calls: CallClient,
    private readonly blobs: Pick<Blobs, 'put' | 'get'>,
  ) {
    super();
  }

  put = (hash: BlobHash, content: Uint8Array): Promise<void> => this.blobs.put(hash, content);
  get = (hash: BlobHash, size: number): Promise<Uint8Array> => this.blobs.get(hash, size);

  async storeFiles(root: Root, files: readonly FileToStore[], signal: AbortSignal): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const some of callsOf(root, files)) outcomes.push(...(await this.storeSome(root, some, signal)));
    return outcomes;
  }

  private async storeSome(root: Root, files: readonly FileToStore[], signal: AbortSignal): Promise<Outcome[]> {
    const problems = this.reachesFiles ? await this.adopt(root, files, signal) : files.map(() => NOT_REACHED);
    const outcomes: Outcome[] = [];
    for (const [i, file] of files.entries())
      outcomes.push(
        problems[i]!.startsWith(NOT_REACHED) ? await this.send(root, file, signal) : outcomeOf(problems[i]!),
      );
    const sent = problems.every((problem) => problem.startsWith(NOT_REACHED)) && outcomes.includes(undefined);
    if (sent) this.reachesFiles = false;
    return outcomes;
  }

  private async adopt(root: Root, files: readonly FileToStore[], signal: AbortSignal): Promise<string[]> {
    const request = {
      files: files.map(({ path, state: { hash, size } }) => ({ hash, size, file: fileOf(root, path) })),
    };
    const bytes = files.reduce((sum, { state }) => sum + state.size, 0);
    const timeoutMs = FIRST_MS + bytes / SLOWEST_BYTES_PER_MS;
    const { adopted } = await unlessAborted(this.calls.call(BlobAdoptMany, '_', request, { timeoutMs }), signal);
    return adopted.map(({ problem }) => problem ?? '');
  }

  private async send(root: Root, file: FileToStore, signal: AbortSignal): Promise<Outcome> {
    try {
      const { dirfd, name } = resolveBeneath(root.rootFd, file.path);
      const fd = withHandle(dirfd, () => openAt(dirfd, name, O.RDONLY));
      try {
        return (await this.sendAll(fd, file, signal)) ? undefined : 'changed';
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      return sendingFailed(error);
    }
  }

  /** False: the file ended before its size. */
  private async sendAll(fd: number, { state: { hash, size } }: FileToStore, signal: AbortSignal): Promise<boolean> {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
    for (let offset = 0; offset === 0 || offset < size; offset += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, size - offset);
      const { bytesRead } = await readLater(fd, chunk, 0, length, offset);
      if (bytesRead < length) return false;
      const sent = this.calls.call(BlobPut, '_', Buffer.from(chunk.subarray(0, length)), {
        headers: headersOf(hash, offset, size),
      });
      await unlessAborted(sent, signal);
    }
    return true;
  }
}

const NOT_REACHED = 'blob_source_invalid';

const fileOf = (root: Root, path: string): string => `${root.path}/${path}`;

function* callsOf(root: Root, files: readonly FileToStore[]): Generator<FileToStore[]> {
  let some: FileToStore[] = [];
  let bytes = 0;
  for (const file of files) {
    some.push(file);
    // Hash, size and punctuation beside the path; the answer may repeat path and hash.
    bytes += 200 + 2 * Buffer.byteLength(JSON.stringify(fileOf(root, file.path)));
    if (some.length < CALL_FILES && bytes < CALL_BYTES) continue;
    yield some;
    [some, bytes] = [[], 0];
  }
  if (some.length > 0) yield some;
}

function outcomeOf(problem: string): Outcome {
  if (problem === '') return undefined;
  return problem.startsWith('blob_mismatch') ? 'changed' : { why: problem };
}

/** A file that is gone, or became something else, has changed: the next look tells. */
function sendingFailed(error: unknown): Outcome {
  if (isFsError(error, 'absent', 'not_a_folder', 'link_refused')) return 'changed';
  if (isFsError(error)) return { why: error.message };
  const code = errorCodeOf(error);
  if (code === 'blob_mismatch') return 'changed';
  if (isPassing(error) || !code.startsWith('blob_')) throw error;
  return { why: `${code}: ${(error as Error).message}` };
}

const headersOf = (hash: string, offset: number, size: number): Record<string, string> => ({
  [RPC_HEADERS.hash]: hash,
  [RPC_HEADERS.offset]: String(offset),
  [RPC_HEADERS.size]: String(size),
});
