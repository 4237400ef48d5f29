import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { BlobStore } from '../blob-store.port.js';
import { blobHashOf } from '../sha256.js';
import { type Bench, bytesOf, expectRefusal, expectSameBytes } from './bench.js';

const SMALL = 64 * 1024;
const MEDIUM = 200_000;

async function stored(store: BlobStore, content: Uint8Array) {
  const hash = blobHashOf(content);
  await store.put(hash, content);
  return hash;
}

export function readContract(bench: Bench): void {
  describe('read', () => {
    it.each([0, SMALL, MEDIUM])('gives any range of %d bytes, cut at the end', async (size) => {
      const { store } = await bench.open();
      const content = bytesOf(size);
      const hash = await stored(store, content);
      await fc.assert(
        fc.asyncProperty(fc.nat(size + 10), fc.nat(size + 10), async (offset, length) => {
          expectSameBytes(await store.read(hash, offset, length), content.subarray(offset, offset + length));
        }),
        { numRuns: 25 },
      );
    });

    it('gives many ranges of one content at once', async () => {
      const { store } = await bench.open();
      const content = bytesOf(MEDIUM);
      const hash = await stored(store, content);
      const offsets = Array.from({ length: 100 }, (_, index) => index * 2000);
      const parts = await Promise.all(offsets.map((offset) => store.read(hash, offset, 2000)));
      expectSameBytes(Buffer.concat(parts), content);
    });

    it.each([
      [-1, 1],
      [0, -1],
      [0.5, 1],
      [0, Number.NaN],
      [Number.POSITIVE_INFINITY, 1],
    ])('refuses offset %d with length %d', async (offset, length) => {
      const { store } = await bench.open();
      const hash = await stored(store, bytesOf(10));
      await expectRefusal(store.read(hash, offset, length), 'blob_range_invalid');
      expect(await store.has(hash)).toBe(true);
    });

    it('does not let a huge length decide how much is allocated', async () => {
      const { store } = await bench.open();
      const hash = await stored(store, bytesOf(MEDIUM));
      expectSameBytes(await store.read(hash, 0, Number.MAX_SAFE_INTEGER), bytesOf(MEDIUM));
    });

    it.each([1000, SMALL, MEDIUM])('gives bytes that the reader of %d may change', async (size) => {
      const { store } = await bench.open();
      const content = bytesOf(size);
      const hash = await stored(store, content);
      (await store.readAll(hash)).fill(0);
      (await store.read(hash, 0, size)).fill(0);
      expectSameBytes(await store.readAll(hash), content);
    });

    it('names what is absent', async () => {
      const { store } = await bench.open();
      const hash = blobHashOf(bytesOf(7));
      await expectRefusal(store.readAll(hash), 'blob_absent');
      await expectRefusal(store.read(hash, 0, 1), 'blob_absent');
      await expect(store.readAll(hash)).rejects.toThrow(hash);
    });

    it('counts blobs and bytes, also when opened again', async () => {
      const { store, reopen } = await bench.open();
      expect(await store.stats()).toEqual({ blobs: 0, bytes: 0 });
      await stored(store, bytesOf(10));
      await stored(store, bytesOf(MEDIUM));
      expect(await store.stats()).toEqual({ blobs: 2, bytes: MEDIUM + 10 });
      expect(await (await reopen()).stats()).toEqual({ blobs: 2, bytes: MEDIUM + 10 });
    });
  });

  describe('damage', () => {
    it.each([1, 40_000, SMALL, SMALL + 1, MEDIUM])('is found in %d bytes and healed by a put', async (size) => {
      const subject = await bench.open();
      if (!subject.corrupt) return;
      const content = bytesOf(size);
      const hash = await stored(subject.store, content);
      await subject.store.read(hash, 0, 1);
      const store = await subject.corrupt(hash);
      await expectRefusal(store.read(hash, 0, 1), 'blob_corrupt');
      await expectRefusal(store.readAll(hash), 'blob_corrupt');
      expect([await store.has(hash), await store.size(hash)]).toEqual([false, undefined]);
      expect(await store.put(hash, content)).toBe('stored');
      expect([await store.has(hash), await store.size(hash)]).toEqual([true, size]);
      expect(await store.stats()).toEqual({ blobs: 1, bytes: size });
      expectSameBytes(await store.readAll(hash), content);
      expectSameBytes(await store.read(hash, 0, size), content);
    });
  });
}
