import { describe, expect, it } from '@jest/globals';
import type { BlobError } from '../blob-errors.js';
import type { BlobStore } from '../blob-store.port.js';
import { blobHashOf } from '../sha256.js';
import { type Bench, bytesOf, expectRefusal, expectSameBytes } from './bench.js';

const LARGE = 5 * 1024 * 1024;
const SIZES = [0, 1, 40_000, 64 * 1024, 64 * 1024 + 1, LARGE];

export function putContract(bench: Bench): void {
  describe('put', () => {
    it.each(SIZES)('keeps %d bytes, also when opened again', async (size) => {
      const { store, reopen } = await bench.open();
      const content = bytesOf(size);
      expect(await store.put(blobHashOf(content), content)).toBe('stored');
      await expectKept(store, content);
      await expectKept(await reopen(), content);
    });

    it.each(SIZES)('does nothing when %d bytes are put a second time', async (size) => {
      const { store } = await bench.open();
      const content = bytesOf(size);
      await store.put(blobHashOf(content), content);
      expect(await store.put(blobHashOf(content), content)).toBe('present');
      expect(await store.stats()).toEqual({ blobs: 1, bytes: size });
      await expectKept(store, content);
    });

    it.each(SIZES)('stores nothing when %d bytes do not match the hash', async (size) => {
      const { store } = await bench.open();
      const hash = blobHashOf(bytesOf(10, 'other'));
      await expectRefusal(store.put(hash, bytesOf(size)), 'blob_mismatch');
      await expectNothing(store, [hash, blobHashOf(bytesOf(size))]);
    });

    it.each([100, LARGE])('stores the same %d bytes once when put many times at once', async (size) => {
      const { store } = await bench.open();
      const content = bytesOf(size);
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => store.put(blobHashOf(content), content)));
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
      expect(await store.stats()).toEqual({ blobs: 1, bytes: size });
      await expectKept(store, content);
    });

    it.each([1000, 64 * 1024 + 1, LARGE])('keeps no wrong bytes where the caller reuses its %d', async (size) => {
      const { store } = await bench.open();
      const content = bytesOf(size);
      const lent = new Uint8Array(content);
      const put = store.put(blobHashOf(content), lent).catch((error: BlobError) => error.code);
      lent.fill(0);
      const outcome = await put;
      const kept = await store.readAll(blobHashOf(content)).then(blobHashOf, (error: BlobError) => error.code);
      expect([
        ['stored', blobHashOf(content)],
        ['blob_mismatch', 'blob_absent'],
      ]).toContainEqual([outcome, kept]);
    });

    it('keeps many small contents put at once', async () => {
      const { store, reopen } = await bench.open();
      const contents = Array.from({ length: 300 }, (_, index) => bytesOf(index * 7, `many ${index}`));
      await Promise.all(contents.map((content) => store.put(blobHashOf(content), content)));
      const opened = await reopen();
      for (const content of contents) await expectKept(opened, content);
      expect((await opened.stats()).blobs).toBe(300);
    });

    it('refuses what is above the limit, by any way in', async () => {
      const { store } = await bench.open({ maxBlobBytes: 100 });
      const hash = blobHashOf(bytesOf(101));
      await expectRefusal(store.put(hash, bytesOf(101)), 'blob_too_large');
      await expectRefusal(store.openUpload(hash, 101), 'blob_too_large');
      await expectRefusal(store.adoptFile(hash, 101, 'not looked at'), 'blob_too_large');
      expect(await store.put(blobHashOf(bytesOf(100)), bytesOf(100))).toBe('stored');
    });

    it('refuses work once closed, and can be closed twice', async () => {
      const { store } = await bench.open();
      const hash = blobHashOf(bytesOf(5));
      await store.close();
      await store.close();
      await expectRefusal(store.put(hash, bytesOf(5)), 'blob_store_closed');
      await expectRefusal(store.readAll(hash), 'blob_store_closed');
      await expectRefusal(store.stats(), 'blob_store_closed');
    });

    it('finishes the puts it has begun before it closes', async () => {
      const { store, reopen } = await bench.open();
      const contents = [bytesOf(10), bytesOf(LARGE)];
      const puts = contents.map((content) => store.put(blobHashOf(content), content));
      await store.close();
      expect(await Promise.all(puts)).toEqual(['stored', 'stored']);
      const opened = await reopen();
      for (const content of contents) await expectKept(opened, content);
    });
  });
}

async function expectKept(store: BlobStore, content: Uint8Array): Promise<void> {
  const hash = blobHashOf(content);
  expect(await store.has(hash)).toBe(true);
  expect(await store.size(hash)).toBe(content.length);
  expectSameBytes(await store.readAll(hash), content);
}

async function expectNothing(store: BlobStore, hashes: ReturnType<typeof blobHashOf>[]): Promise<void> {
  for (const hash of hashes) {
    expect(await store.has(hash)).toBe(false);
    expect(await store.size(hash)).toBeUndefined();
    await expectRefusal(store.readAll(hash), 'blob_absent');
  }
  expect(await store.stats()).toEqual({ blobs: 0, bytes: 0 });
}
