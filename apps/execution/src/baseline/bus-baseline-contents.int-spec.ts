import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  BlobAdoptMany,
  BlobPut,
  type CallDefinition,
  CHUNK_BYTES,
  type FileState,
  RetraceError,
  RPC_HEADERS,
} from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging';
import { temporaryRoot, type TemporaryRoot } from './testing/temporary-root.js';
import { hashOf } from '../testing/memory-blobs.js';
import type { Blobs } from '../ports/blobs.port.js';
import { BusBaselineContents } from './bus-baseline-contents.js';

jest.setTimeout(60_000);

interface AdoptRequest {
  files: { hash: string; file: string }[];
}

/** The snapshot service as its calls look from here. */
class Snapshot {
  readonly adopts: AdoptRequest[] = [];
  readonly received = new Map<string, Buffer>();
  problem: (file: string) => string | null = () => null;

  call(
    call: CallDefinition,
    _: string,
    request: unknown,
    { headers }: { headers?: Record<string, string> },
  ): Promise<unknown> {
    if (call === BlobAdoptMany) return Promise.resolve(this.adopt(request as AdoptRequest));
    if (call === BlobPut) return Promise.resolve(this.take(request as Uint8Array, headers!));
    return Promise.reject(new Error('no such call'));
  }

  private adopt(request: AdoptRequest) {
    this.adopts.push(request);
    return { adopted: request.files.map(({ hash, file }) => ({ hash, problem: this.problem(file) })) };
  }

  private take(chunk: Uint8Array, headers: Record<string, string>) {
    const [hash, size] = [headers[RPC_HEADERS.hash]!, Number(headers[RPC_HEADERS.size])];
    const got = Buffer.concat([this.received.get(hash) ?? Buffer.alloc(0), chunk]);
    if (Number(headers[RPC_HEADERS.offset]) !== got.length - chunk.length) throw new Error('a hole');
    this.received.set(hash, got);
    if (got.length === size && hashOf(got) !== hash) throw new RetraceError('blob_mismatch', 'not this content');
    return { received: got.length, done: got.length === size };
  }
}

describe('contents on their way to the snapshot service', () => {
  let top: TemporaryRoot;
  let snapshot: Snapshot;
  let contents: BusBaselineContents;
  beforeEach(() => {
    top = temporaryRoot();
    snapshot = new Snapshot();
    contents = new BusBaselineContents(snapshot as unknown as CallClient, {} as Blobs);
  });
  afterEach(() => top.dispose());

  const file = (path: string, content: string): { path: string; state: FileState } => {
    fs.writeFileSync(`${top.root.path}/${path}`, content);
    return { path, state: { kind: 'file', hash: hashOf(content), size: content.length, mode: 0o644 } };
  };
  const { signal } = new AbortController();
  const store = (...files: ReturnType<typeof file>[]) => contents.storeFiles(top.root, files, signal);

  it('are taken over by the service, in calls that a message holds', async () => {
    const names = Array.from({ length: 1200 }, (_, i) => `${i}`.padStart(180, 'n'));
    const outcomes = await store(...names.map((name) => file(name, name)));
    expect(outcomes).toEqual(names.map(() => undefined));
    expect(snapshot.adopts.length).toBeGreaterThan(1);
    for (const request of snapshot.adopts) {
      expect(JSON.stringify(request).length).toBeLessThan(512 * 1024);
      expect(BlobAdoptMany.request.safeParse(request).success).toBe(true);
    }
    expect(snapshot.adopts.flatMap(({ files }) => files.map((one) => one.file))).toEqual(
      names.map((name) => `${top.root.path}/${name}`),
    );
  });

  it('are told apart: changed, refused, stored', async () => {
    const files = ['changed', 'large', 'well'].map((name) => file(name, name));
    snapshot.problem = (name) => {
      if (name.endsWith('changed')) return 'blob_mismatch: it has another hash';
      return name.endsWith('large') ? 'blob_too_large: too large' : null;
    };
    expect(await store(...files)).toEqual(['changed', { why: 'blob_too_large: too large' }, undefined]);
    expect(snapshot.received.size).toBe(0);
  });

  it('are sent where the service cannot reach them; after that it is not asked to any more', async () => {
    snapshot.problem = () => 'blob_source_invalid: it cannot be opened';
    const large = 'large '.repeat(CHUNK_BYTES / 2);
    expect(await store(file('large', large), file('empty', ''))).toEqual([undefined, undefined]);
    expect(snapshot.received.get(hashOf(large))?.toString()).toBe(large);
    expect(snapshot.received.get(hashOf(''))).toHaveLength(0);
    expect(await store(file('a', 'A'))).toEqual([undefined]);
    expect(snapshot.adopts).toHaveLength(1);
  });

  it('are changed where the file to be sent is gone, shorter, or another', async () => {
    snapshot.problem = () => 'blob_source_invalid: it cannot be opened';
    const files = ['gone', 'shorter', 'another'].map((name) => file(name, name));
    fs.rmSync(`${top.root.path}/gone`);
    fs.writeFileSync(`${top.root.path}/shorter`, '');
    fs.writeFileSync(`${top.root.path}/another`, 'ANOTHER');
    expect(await store(...files)).toEqual(['changed', 'changed', 'changed']);
  });

  it('wait no longer than they are told to', async () => {
    const stop = new AbortController();
    snapshot.call = () => new Promise(() => undefined);
    const stored = contents.storeFiles(top.root, [file('a', 'A')], stop.signal);
    stop.abort();
    await expect(stored).rejects.toMatchObject({ name: 'AbortError' });
  });
});
