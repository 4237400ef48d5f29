import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
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

    it('refuses what is missing, a folder or a link', async () => {
      const { store } = await bench.open();
      const folder = await bench.folder();
      const hash = blobHashOf(bytesOf(0));
      await mkdir(join(folder, 'folder'));
      await symlink(await source(bytesOf(0)), join(folder, 'link'));
      for (const name of ['missing', 'folder', 'link']) {
        await expectRefusal(store.adoptFile(hash, 0, join(folder, name)), 'blob_source_invalid');
      }
    });
  });
}
