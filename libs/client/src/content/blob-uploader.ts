import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BlobHash,
  BlobPut,
  BlobPutMany,
  CHUNK_BYTES,
  encodeContents,
  type ErrorCode,
  errorCodeOf,
  RetraceError,
  RPC_HEADERS,
  type WorkspaceName,
} from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging/client';
import { ContentError } from '../errors.js';
import type { NamedContent } from './content.js';
import { Limiter } from './limiter.js';

const PARALLEL = 32;
/** Contents up to this size, in bytes, travel together where there are several. */
const SMALL_BYTES = 64 * 1024;
/** Contents that travel together: few enough that the store works on while the next are on their way. */
const TOGETHER = 128;
const CHUNK_TIMEOUT_MS = 10_000;
/** Tries without progress before giving up; with the pauses about the 30 s that policy waits for content. */
const TRIES = 9;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Answers that asking again does not change. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'blob_mismatch',
  'blob_too_large',
  'blob_forbidden',
  'forbidden',
  'unknown_workspace',
  'not_a_member',
  'bad_request',
  'bad_subject',
]);

interface Progress {
  readonly offset: number;
  readonly failures: number;
}

/** Brings content to the blob store, in chunks. What is lost on the way is sent again. */
export class BlobUploader {
  private readonly limiter = new Limiter(PARALLEL);
  private readonly underWay = new Map<BlobHash, Promise<void>>();

  constructor(
    private readonly calls: Pick<CallClient, 'call'>,
    private readonly workspace: WorkspaceName,
    private readonly pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false }),
  ) {}

  /** Resolves once the content is durable. The first chunk is sent before this returns, where there is room. */
  put(content: NamedContent): Promise<void> {
    const { hash, bytes, read } = content;
    if (!bytes && !read) return Promise.resolve();
    const known = this.underWay.get(hash);
    if (known) return known;
    const upload = this.limiter.run(() => this.upload(content)).finally(() => this.underWay.delete(hash));
    this.underWay.set(hash, upload);
    return upload;
  }

  /** Resolves once all are durable. Small ones travel together. */
  async putAll(contents: readonly NamedContent[]): Promise<void> {
    const isSmall = ({ hash, bytes }: NamedContent): boolean =>
      bytes !== undefined && bytes.length <= SMALL_BYTES && !this.underWay.has(hash);
    const small = new Map(contents.filter(isSmall).map((content) => [content.hash, content]));
    const sent = groupsOf([...small.values()]).map((group) => this.putGroup(group));
    const others = contents.filter(({ hash }) => !small.has(hash)).map((content) => this.put(content));
    await Promise.all([...sent, ...others]);
  }

  private putGroup(group: readonly NamedContent[]): Promise<void> {
    if (group.length === 1) return this.put(group[0]!);
    const upload = this.limiter.run(() => this.sendGroup(group));
    for (const { hash } of group) this.underWay.set(hash, upload);
    return upload.finally(() => {
      for (const { hash } of group) this.underWay.delete(hash);
    });
  }

  /** Where they do not arrive together, each goes its own way, as patiently as ever. */
  private async sendGroup(group: readonly NamedContent[]): Promise<void> {
    const body = encodeContents(group.map(({ hash, bytes }) => ({ hash, bytes: bytes! })));
    try {
      await this.calls.call(BlobPutMany, this.workspace, body, { timeoutMs: CHUNK_TIMEOUT_MS });
    } catch (error) {
      if (isFinal(error)) throw error;
      for (const content of group) await this.upload(content);
    }
  }

  private async upload(content: NamedContent): Promise<void> {
    let progress: Progress | undefined = { offset: 0, failures: 0 };
    while (progress) progress = await this.step(content, progress);
  }

  /** Sends one chunk and answers where to go on; `undefined`: all of it is there. */
  private async step(content: NamedContent, { offset, failures }: Progress): Promise<Progress | undefined> {
    const { hash, size } = content;
    try {
      const chunk = content.bytes?.subarray(offset, offset + CHUNK_BYTES) ?? (await readChunk(content, offset));
      const { received, done } = await this.send(content, chunk, offset);
      if (done) return undefined;
      const next = Math.min(received, lastChunk(size));
      if (next > offset) return { offset: next, failures: 0 };
      throw new RetraceError('busy', `the store has ${received} of ${size} bytes of ${hash} and takes no more`);
    } catch (error) {
      if (isFinal(error) || failures + 1 >= TRIES) throw error;
      await this.pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS));
      // From the start: chunks that are there are skipped, and an upload that was dropped begins anew.
      return { offset: 0, failures: failures + 1 };
    }
  }

  private send(
    { hash, size }: NamedContent,
    chunk: Uint8Array,
    offset: number,
  ): Promise<{ received: number; done: boolean }> {
    const headers = {
      [RPC_HEADERS.hash]: hash,
      [RPC_HEADERS.offset]: String(offset),
      [RPC_HEADERS.size]: String(size),
    };
    return this.calls.call(BlobPut, this.workspace, chunk, { headers, timeoutMs: CHUNK_TIMEOUT_MS });
  }
}

/** In their order, as many as one message takes. */
function groupsOf(contents: readonly NamedContent[]): NamedContent[][] {
  const groups: NamedContent[][] = [];
  let room = 0;
  for (const content of contents) {
    if (content.size > room || groups.at(-1)!.length >= TOGETHER) {
      groups.push([]);
      room = CHUNK_BYTES;
    }
    groups.at(-1)!.push(content);
    room -= content.size;
  }
  return groups;
}

const readChunk = ({ read, size }: NamedContent, offset: number): Promise<Uint8Array> =>
  read!(offset, Math.min(CHUNK_BYTES, size - offset));

const isFinal = (error: unknown): boolean => error instanceof ContentError || FINAL.has(errorCodeOf(error));

const lastChunk = (size: number): number => Math.max(0, Math.ceil(size / CHUNK_BYTES) - 1) * CHUNK_BYTES;
