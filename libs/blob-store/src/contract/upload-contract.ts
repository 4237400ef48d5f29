import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { BlobUpload } from '../blob-store.port.js';
import { blobHashOf } from '../sha256.js';
import { type Bench, bytesOf, expectRefusal, expectSameBytes } from './bench.js';

const LARGE = 5 * 1024 * 1024;

export function uploadContract(bench: Bench): void {
  describe('upload', () => {
    it.each([0, 64 * 1024, 64 * 1024 + 1, LARGE])('keeps %d bytes sent in chunks', async (size) => {
      const { store, reopen } = await bench.open();
      const content = bytesOf(size);
      const upload = await store.openUpload(blobHashOf(content), size);
      await sendFrom(upload, content);
      expect(await store.has(upload.hash)).toBe(false);
      expect(await upload.commit()).toBe('stored');
      expectSameBytes(await store.readAll(upload.hash), content);
      expectSameBytes(await (await reopen()).readAll(upload.hash), content);
    });

    it('gives the same bytes whatever the chunks, repetitions included', async () => {
      const { store } = await bench.open();
      await fc.assert(
        fc.asyncProperty(fc.nat(150_000), fc.array(fc.nat(150_000)), fc.nat(5000), async (size, cuts, overlap) => {
          const content = bytesOf(size, `${size} ${cuts.join()}`);
          const upload = await store.openUpload(blobHashOf(content), size);
          const bounds = [...cuts.filter((cut) => cut < size), size].toSorted((a, b) => a - b);
          for (const end of bounds) {
            const from = Math.max(0, upload.received - overlap);
            expect(await upload.append(from, content.subarray(from, end))).toBe(Math.max(end, upload.received));
          }
          await upload.commit();
          expectSameBytes(await store.readAll(upload.hash), content);
        }),
        { numRuns: 25 },
      );
    });

    it('takes chunks sent without waiting in the order they were sent', async () => {
      const { store } = await bench.open();
      const content = bytesOf(300_000);
      const upload = await store.openUpload(blobHashOf(content), content.length);
      const offsets = [0, 100_000, 200_000];
      const appends = offsets.map((offset) => upload.append(offset, content.subarray(offset, offset + 100_000)));
      const commit = upload.commit();
      expect(await Promise.all(appends)).toEqual([100_000, 200_000, 300_000]);
      expect(await commit).toBe('stored');
      expectSameBytes(await store.readAll(upload.hash), content);
    });

    it('refuses a hole and bytes beyond the end, and goes on', async () => {
      const { store } = await bench.open();
      const content = bytesOf(100);
      const upload = await store.openUpload(blobHashOf(content), 100);
      await expectRefusal(upload.append(1, content.subarray(1)), 'blob_upload_gap');
      await expectRefusal(upload.append(0, bytesOf(101)), 'blob_mismatch');
      await expectRefusal(upload.append(-1, content), 'blob_range_invalid');
      await expectRefusal(upload.commit(), 'blob_incomplete');
      expect(await upload.append(0, content)).toBe(100);
      expect(await upload.commit()).toBe('stored');
    });

    it.each([100, LARGE])('stores nothing when a commit of %d bytes does not match the hash', async (size) => {
      const { store } = await bench.open();
      const hash = blobHashOf(bytesOf(size, 'promised'));
      const upload = await store.openUpload(hash, size);
      await sendFrom(upload, bytesOf(size, 'sent'));
      await expectRefusal(upload.commit(), 'blob_mismatch');
      await expectRefusal(upload.commit(), 'blob_mismatch');
      expect(await store.has(hash)).toBe(false);
      expect(await store.stats()).toEqual({ blobs: 0, bytes: 0 });
    });

    it.each([100, LARGE])('lets two uploads of the same %d bytes both succeed', async (size) => {
      const { store } = await bench.open();
      const content = bytesOf(size);
      const uploads = await Promise.all([1, 2].map(() => store.openUpload(blobHashOf(content), size)));
      await Promise.all(uploads.map((upload) => sendFrom(upload, content)));
      const outcomes = await Promise.all(uploads.map((upload) => upload.commit()));
      expect(outcomes.toSorted()).toEqual(['present', 'stored']);
      expect(await store.stats()).toEqual({ blobs: 1, bytes: size });
      expectSameBytes(await store.readAll(blobHashOf(content)), content);
    });

    it('answers a repeated commit, chunk and abort as if the first answer was lost', async () => {
      const { store } = await bench.open();
      const content = bytesOf(LARGE);
      const upload = await store.openUpload(blobHashOf(content), LARGE);
      await sendFrom(upload, content);
      expect(await upload.commit()).toBe('stored');
      expect(await upload.append(LARGE - 10, content.subarray(LARGE - 10))).toBe(LARGE);
      expect(await upload.commit()).toBe('stored');
      await upload.abort();
      expect(await store.has(upload.hash)).toBe(true);
    });

    it('stores nothing of an aborted upload and takes no more of it', async () => {
      const { store } = await bench.open();
      const content = bytesOf(LARGE);
      const upload = await store.openUpload(blobHashOf(content), LARGE);
      await upload.append(0, content.subarray(0, 1000));
      await upload.abort();
      await upload.abort();
      await expectRefusal(upload.append(1000, content.subarray(1000)), 'blob_upload_gone');
      await expectRefusal(upload.commit(), 'blob_upload_gone');
      expect(await store.stats()).toEqual({ blobs: 0, bytes: 0 });
    });

    it('ends the upload idle for longest when there are too many', async () => {
      const { store } = await bench.open({ maxUploads: 2 });
      const content = bytesOf(100_000);
      const open = () => store.openUpload(blobHashOf(content), content.length);
      const first = await open();
      const second = await open();
      await first.append(0, content.subarray(0, 10));
      await open();
      await expectRefusal(second.append(0, content), 'blob_upload_gone');
      expect(await first.append(10, content.subarray(10))).toBe(100_000);
      expect(await first.commit()).toBe('stored');
    });

    it('refuses an upload where every slot is busy', async () => {
      const { store } = await bench.open({ maxUploads: 1 });
      const content = bytesOf(LARGE);
      const upload = await store.openUpload(blobHashOf(content), LARGE);
      const append = upload.append(0, content);
      await expectRefusal(store.openUpload(blobHashOf(content), LARGE), 'blob_uploads_busy');
      await append;
      await upload.commit();
      await expect(store.openUpload(blobHashOf(content), LARGE)).resolves.toBeDefined();
    });

    it('ends open uploads when closed', async () => {
      const { store, reopen } = await bench.open();
      const content = bytesOf(100_000);
      const upload = await store.openUpload(blobHashOf(content), content.length);
      await upload.append(0, content);
      const opened = await reopen();
      await expectRefusal(upload.commit(), 'blob_store_closed');
      await upload.abort();
      expect(await opened.has(upload.hash)).toBe(false);
    });
  });
}

async function sendFrom(upload: BlobUpload, content: Uint8Array): Promise<void> {
  const step = 300_001;
  for (let offset = 0; offset < content.length; offset += step) {
    await upload.append(offset, content.subarray(offset, offset + step));
  }
}
