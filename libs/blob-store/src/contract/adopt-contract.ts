import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { SourceFile } from '../blob-store.port.js';
import { blobHashOf } from '../sha256.js';
import { type Bench, bytesOf, expectRefusal, expectSameBytes } from './bench.js';

const SIZES = [0, 64 * 1024, 64 * 1024 + 1, 5 * 1024 * 1024];

export function adoptContract(bench: Bench): void {
  const source = async (content: Uint8Array): Promise<string> => {
    const path = join(await bench.folder(), 'source');
    await writeFile(path, content, { mode: 0o444 });
    return path;
  };

  describe('adoptFile', () => {
    it.each(SIZES)('takes over %d bytes and leaves the source alone', async (size) => {
      const { store, reopen } = await bench.open();
      const content = bytesOf(size);
      const path = await source(content);
      expect(await store.adoptFile(blobHashOf(content), size, path)).toBe('stored');
      expect(await store.adoptFile(blobHashOf(content), size, path)).toBe('present');
      expectSameBytes(await readFile(path), content);
      await writeFile(path, 'changed later').catch(() => undefined);
      expectSameBytes(await (await reopen()).readAll(blobHashOf(content)), content);
    });

    it.each(SIZES)('stores nothing when %d bytes are not what was named', async (size) => {
      const { store } = await bench.open();
      const path = await source(bytesOf(size));
      const hash = blobHashOf(bytesOf(size + 1));
      await expectRefusal(store.adoptFile(hash, size, path), 'blob_mismatch');
      await expectRefusal(store.adoptFile(blobHashOf(bytesOf(size)), size + 1, path), 'blob_mismatch');
      expect(await store.stats()).toEqual({ blobs: 0, bytes: 0 });
    });

    it.each(SIZES)('does not take %d wrong bytes for right because the right ones are there', async (size) => {
      const { store } = await bench.open();
      const right = bytesOf(size + 1);
      await store.put(blobHashOf(right), right);
      const path = await source(bytesOf(size + 1, 'wrong'));
      await expectRefusal(store.adoptFile(blobHashOf(right), size + 1, path), 'blob_mismatch');
    });

    it('refuses what is missing, a folder, a link or a FIFO, which nobody writes to', async () => {
      const { store } = await bench.open();
      const folder = await bench.folder();
      const hash = blobHashOf(bytesOf(0));
      await mkdir(join(folder, 'folder'));
      await symlink(await source(bytesOf(0)), join(folder, 'link'));
      execFileSync('mkfifo', [join(folder, 'fifo')]);
      for (const name of ['missing', 'folder', 'link', 'fifo']) {
        await expectRefusal(store.adoptFile(hash, 0, join(folder, name)), 'blob_source_invalid');
      }
    });
  });

  describe('adoptFiles', () => {
    const named = async (content: Uint8Array): Promise<SourceFile> => ({
      hash: blobHashOf(content),
      size: content.length,
      path: await source(content),
    });

    it('takes over small and large files, the same one twice too, and answers in their order', async () => {
      const { store, reopen } = await bench.open();
      const contents = [...SIZES, 0, 100].map((size) => bytesOf(size));
      const files = await Promise.all(contents.map(named));
      expect(await store.adoptFiles(files)).toEqual(['stored', 'stored', 'stored', 'stored', 'present', 'stored']);
      expect(await store.adoptFiles(files)).toEqual(files.map(() => 'present'));
      const bytes = SIZES.reduce((sum, size) => sum + size, 100);
      expect(await store.stats()).toEqual({ blobs: 5, bytes });
      const opened = await reopen();
      for (const content of contents) expectSameBytes(await opened.readAll(blobHashOf(content)), content);
      expect(await opened.stats()).toEqual({ blobs: 5, bytes });
    });

    it('tells of each that is not what was named, and stores the others and nothing else', async () => {
      const { store } = await bench.open({ maxBlobBytes: 200_000 });
      const [small, large, tooLarge] = await Promise.all([10, 100_000, 200_001].map((size) => named(bytesOf(size))));
      const missing = { ...small!, path: `${small!.path}-missing` };
      const others = await Promise.all([11, 100_001].map((size) => named(bytesOf(size, 'other'))));
      const wrong = others.map((file) => ({ ...file, hash: blobHashOf(bytesOf(3)) }));
      const shrunk = others.map((file) => ({ ...file, size: file.size + 1 }));
      const outcomes = await store.adoptFiles([missing, tooLarge!, ...wrong, small!, ...shrunk, large!]);
      expect(outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : outcome.code))).toEqual([
        'blob_source_invalid',
        'blob_too_large',
        'blob_mismatch',
        'blob_mismatch',
        'stored',
        'blob_mismatch',
        'blob_mismatch',
        'stored',
      ]);
      expect(await store.stats()).toEqual({ blobs: 2, bytes: 100_010 });
    });

    it('refuses the whole once the store is closed', async () => {
      const { store } = await bench.open();
      const file = await named(bytesOf(3));
      await store.close();
      await expectRefusal(store.adoptFiles([file]), 'blob_store_closed');
    });

    it('keeps more than one commit takes', async () => {
      const { store } = await bench.open();
      const files = await Promise.all(Array.from({ length: 300 }, (_, i) => named(bytesOf(60_000, `${i}`))));
      expect(new Set(await store.adoptFiles(files))).toEqual(new Set(['stored']));
      expect(await store.stats()).toEqual({ blobs: 300, bytes: 300 * 60_000 });
    });
  });

  describe('check', () => {
    it('finds a store that takes and gives, and leaves nothing in it', async () => {
      const { store } = await bench.open();
      expect(await store.check()).toMatchObject({ index: 'present', probe: { bytes: expect.any(Number) } });
      expect(await store.stats()).toEqual({ blobs: 0, bytes: 0 });
    });
  });
}
