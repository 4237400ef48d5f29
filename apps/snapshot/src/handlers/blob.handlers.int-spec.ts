import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { blobHashOf, MemoryBlobStore } from '@retrace/blob-store';
import {
  BlobCheck,
  BlobHashSchema,
  CHUNK_BYTES,
  encodeContents,
  type OperationApplied,
  PrincipalSchema,
  type RpcCaller,
  RPC_HEADERS,
  type StoredEvent,
} from '@retrace/contracts';
import type { CallContext } from '@retrace/messaging';
import { BlobReaders } from '../reading/blob-readers.js';
import { SeenContents } from '../seen/seen-contents.js';
import { UploadDesk } from '../uploads/upload-desk.js';
import { UploadLedger } from '../uploads/upload-ledger.js';
import { BlobHandlers } from './blob.handlers.js';

const writer = PrincipalSchema.parse('writer');
const content = Buffer.from('what the writer wrote');
const hash = blobHashOf(content);

const asked = (principal: string | undefined, headers: Record<string, string> = {}): CallContext => ({
  caller: { principal, workspace: '_', service: 'blob', verb: 'x' } as unknown as RpcCaller,
  header: (name) => headers[name],
});
const chunk = (offset: number, of: Buffer, named = blobHashOf(of)) => ({
  [RPC_HEADERS.hash]: named,
  [RPC_HEADERS.offset]: String(offset),
  [RPC_HEADERS.size]: String(of.length),
});

const stateOf = (bytes: Buffer) => ({
  state: { kind: 'file', hash: blobHashOf(bytes), size: bytes.length, mode: 0o644 },
});
const applied = (agent: string, before: Buffer, after: Buffer) =>
  ({
    agent,
    workspace: 'docs',
    data: {
      operations: [
        {
          action: 'edit',
          path: { typed: 'notes.md', canonical: 'notes.md' },
          moved_from: null,
          copied_from: null,
          state_snapshot_before: stateOf(before),
          state_snapshot_after: stateOf(after),
        },
      ],
    },
  }) as unknown as StoredEvent<typeof OperationApplied>;

/** A policy that lets everybody read all. */
const judge = () => Promise.resolve({ allowed: true, message: '' });

describe('calls about blobs', () => {
  let folder: string;
  let store: MemoryBlobStore;
  let ledger: UploadLedger;
  let seen: SeenContents;
  let blobs: BlobHandlers;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-blobs-'));
    store = new MemoryBlobStore();
    ledger = UploadLedger.open(folder, 'process');
    seen = SeenContents.open(folder, 'process', 0);
    blobs = new BlobHandlers(store, ledger, new UploadDesk(store, ledger), new BlobReaders(ledger, seen, { judge }));
  });
  afterEach(async () => {
    await ledger.close();
    await seen.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const range = { hash, offset: 0, length: content.length };

  it('take content in one piece, and count it for who brought it', async () => {
    expect(await blobs.put(content, asked('writer', chunk(0, content)))).toEqual({
      received: content.length,
      done: true,
    });
    expect(ledger.has(writer, hash)).toBe(true);
    expect(Buffer.from((await blobs.get(range, asked('writer'))).body)).toEqual(content);
  });

  it('take content piece by piece, whole or not at all', async () => {
    const [head, tail] = [content.subarray(0, 5), content.subarray(5)];
    expect(await blobs.put(head, asked('writer', chunk(0, content)))).toEqual({ received: 5, done: false });
    expect(await store.has(hash)).toBe(false);
    expect(await blobs.put(tail, asked('writer', chunk(5, content)))).toMatchObject({ done: true });
    expect(await store.has(hash)).toBe(true);
  });

  it('take no content under the name of another', async () => {
    const wrong = chunk(0, content, BlobHashSchema.parse('0'.repeat(64)));
    await expect(blobs.put(content, asked('writer', wrong))).rejects.toMatchObject({ code: 'blob_mismatch' });
    expect(await blobs.missing({ principal: writer, hashes: [hash], wait_ms: 0 }, asked(undefined))).toEqual({
      missing: [hash],
    });
  });

  it('take many in one piece, and count each for who brought it', async () => {
    const contents = [content, Buffer.alloc(0), Buffer.from('another')].map((bytes) => ({
      hash: blobHashOf(bytes),
      bytes,
    }));
    expect(await blobs.putMany(encodeContents(contents), asked('writer'))).toEqual({ stored: 3 });
    for (const { hash: name, bytes } of contents)
      expect([Buffer.from(await store.readAll(name)), ledger.has(writer, name)]).toEqual([bytes, true]);
  });

  it('count none of many where one is not what its name says', async () => {
    const wrong = { hash: BlobHashSchema.parse('0'.repeat(64)), bytes: Buffer.from('x') };
    const many = blobs.putMany(encodeContents([{ hash, bytes: content }, wrong]), asked('writer'));
    await expect(many).rejects.toMatchObject({ code: 'blob_mismatch' });
    expect([ledger.has(writer, hash), ledger.has(writer, wrong.hash)]).toEqual([false, false]);
    await expect(blobs.putMany(Buffer.from('no table'), asked('writer'))).rejects.toMatchObject({
      code: 'bad_request',
    });
  });

  it('take nothing without its name, place and size', async () => {
    await expect(blobs.put(content, asked('writer'))).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('give an agent what it brought, operators and services all, others nothing for a hash alone', async () => {
    await blobs.put(content, asked('writer', chunk(0, content)));
    await expect(blobs.get(range, asked('reviewer'))).rejects.toMatchObject({ code: 'blob_forbidden' });
    for (const who of ['_op-me', undefined])
      expect((await blobs.get(range, asked(who))).body).toHaveLength(content.length);
  });

  it('give an agent what its own operation found or left at a path it may read, and nothing more by that', async () => {
    const [found, left] = [Buffer.from('before'), Buffer.from('after')];
    for (const bytes of [found, left]) await blobs.put(bytes, asked(undefined, chunk(0, bytes)));
    const get = (bytes: Buffer, who: string) =>
      blobs.get({ hash: blobHashOf(bytes), offset: 0, length: bytes.length }, asked(who));
    await expect(get(found, 'writer')).rejects.toMatchObject({ code: 'blob_forbidden' });
    seen.fold(applied('writer', found, left), '7', { sequence: 5, eventId: 'evt_5' });
    for (const bytes of [found, left]) expect(Buffer.from((await get(bytes, 'writer')).body)).toEqual(bytes);
    await expect(get(found, 'reviewer')).rejects.toMatchObject({ code: 'blob_forbidden' });
    const wanted = { principal: writer, hashes: [blobHashOf(found)], wait_ms: 0 };
    expect(await blobs.missing(wanted, asked(undefined))).toEqual({ missing: wanted.hashes });
    expect(seen.positions.load('7')).toMatchObject({ sequence: 5 });
  });

  it('do not tell an agent whether content is there: a second upload is taken whole', async () => {
    await blobs.put(content, asked('writer', chunk(0, content)));
    expect(await blobs.put(content.subarray(0, 5), asked('reviewer', chunk(0, content)))).toEqual({
      received: 5,
      done: false,
    });
    expect(ledger.has(PrincipalSchema.parse('reviewer'), hash)).toBe(false);
  });

  it.each([
    ['missing', () => blobs.missing({ principal: writer, hashes: [], wait_ms: 0 }, asked('writer'))],
    ['present', () => blobs.present({ hashes: [hash] }, asked('_op-me'))],
    ['adopt', () => blobs.adopt({ hash, size: 1, file: '/etc/passwd' }, asked('writer'))],
    ['adopt_many', () => blobs.adoptMany({ files: [{ hash, size: 1, file: '/etc/passwd' }] }, asked('_op-me'))],
  ])('refuse %s to everybody but services', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('say which of these are there', async () => {
    const other = BlobHashSchema.parse('0'.repeat(64));
    await blobs.put(content, asked(undefined, chunk(0, content)));
    expect(await blobs.present({ hashes: [other, hash] }, asked(undefined))).toEqual({ present: [hash] });
  });

  it('take what a service made itself, of many chunks, for nobody', async () => {
    const made = Buffer.alloc(3 * CHUNK_BYTES + 1, 'merged ');
    const named = blobHashOf(made);
    for (let offset = 0; offset < made.length; offset += CHUNK_BYTES) {
      const headers = { ...chunk(offset, made), [RPC_HEADERS.size]: String(made.length) };
      await blobs.put(made.subarray(offset, offset + CHUNK_BYTES), asked(undefined, headers));
    }
    expect(Buffer.from(await store.readAll(named)).equals(made)).toBe(true);
    expect(await blobs.missing({ principal: writer, hashes: [named], wait_ms: 0 }, asked(undefined))).toEqual({
      missing: [named],
    });
    await expect(blobs.get({ ...range, hash: named }, asked('writer'))).rejects.toMatchObject({
      code: 'blob_forbidden',
    });
  });

  it('take over many files, and tell of each that cannot be', async () => {
    const file = join(folder, 'source');
    writeFileSync(file, content);
    const gone = `${file}-gone`;
    const files = [gone, file].map((path) => ({ hash, size: content.length, file: path }));
    expect(await blobs.adoptMany({ files }, asked(undefined))).toEqual({
      adopted: [
        { hash, problem: expect.stringMatching(/^blob_source_invalid: .*source-gone/) },
        { hash, problem: null },
      ],
    });
    expect(await store.has(hash)).toBe(true);
  });

  it('tell operators, and nobody else, how the store is', async () => {
    const { checks } = await blobs.check({}, asked('_op-me'));
    expect(BlobCheck.reply.parse({ checks }).checks).toHaveLength(3);
    for (const who of ['writer', undefined])
      await expect(blobs.check({}, asked(who))).rejects.toMatchObject({ code: 'forbidden' });
  });
});
