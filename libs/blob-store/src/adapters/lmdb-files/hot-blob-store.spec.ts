import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { open as openLmdb } from 'lmdb';
import { Bench, bytesOf, expectRefusal, expectSameBytes } from '../../contract/bench.js';
import { blobStoreContract } from '../../contract/blob-store-contract.js';
import { blobHashOf } from '../../sha256.js';
import type { Durability } from './durability.js';
import { HotBlobStore } from './hot-blob-store.js';
import { flipFileBit, hotStoreFixture } from './hot-store-fixture.js';

for (const durability of ['process', 'power'] satisfies Durability[]) {
  blobStoreContract(`HotBlobStore (${durability})`, (limits) => hotStoreFixture({ ...limits, durability }));
}

/** How many transactions a closed store's index has seen. */
async function lastTransaction(folder: string): Promise<number> {
  const root = openLmdb({ path: join(folder, 'index.mdb'), noSubdir: true });
  const { lastTxnId } = root.getStats() as { lastTxnId: number };
  await root.close();
  return lastTxnId;
}

const LARGE = bytesOf(1_500_000);
const LARGE_HASH = blobHashOf(LARGE);

describe('HotBlobStore', () => {
  const bench = new Bench(() => hotStoreFixture({ durability: 'process' }));
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
    await bench.clear();
  });

  const fixture = async () => {
    const opened = await hotStoreFixture({ durability: 'process' });
    cleanups.push(opened.dispose);
    const fileOf = (hash: string) => join(opened.folder, 'files', hash.slice(0, 2), hash.slice(2));
    return { ...opened, fileOf, temps: () => readdir(join(opened.folder, 'tmp')) };
  };

  it('keeps up to 64 KiB in the database and more in a file', async () => {
    const { store, fileOf } = await fixture();
    const [small, large] = [bytesOf(64 * 1024), bytesOf(64 * 1024 + 1)];
    await store.put(blobHashOf(small), small);
    await store.put(blobHashOf(large), large);
    await expect(stat(fileOf(blobHashOf(small)))).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await stat(fileOf(blobHashOf(large)))).size).toBe(large.length);
  });

  it('leaves no temp file behind, whatever the outcome', async () => {
    const { store, temps } = await fixture();
    await store.put(LARGE_HASH, LARGE);
    await store.put(LARGE_HASH, LARGE);
    await expectRefusal(store.put(blobHashOf(bytesOf(1)), LARGE), 'blob_mismatch');
    const path = join(await bench.folder(), 'source');
    await writeFile(path, LARGE);
    await store.adoptFile(LARGE_HASH, LARGE.length, path);
    await expectRefusal(store.adoptFile(blobHashOf(bytesOf(1)), LARGE.length, path), 'blob_mismatch');
    const upload = await store.openUpload(LARGE_HASH, LARGE.length);
    await upload.append(0, LARGE.subarray(0, 10));
    expect(await temps()).toHaveLength(1);
    await upload.abort();
    expect(await temps()).toEqual([]);
  });

  it('removes the temp files of a crash when opened', async () => {
    const { folder, reopen, temps } = await fixture();
    await writeFile(join(folder, 'tmp', 'leftover'), 'half');
    await reopen();
    expect(await temps()).toEqual([]);
  });

  it('shows no file without an index entry, and takes its place with the next put', async () => {
    const { store, fileOf } = await fixture();
    await writeFile(fileOf(LARGE_HASH), 'renamed, then the process died; or not even right');
    expect(await store.has(LARGE_HASH)).toBe(false);
    await expectRefusal(store.readAll(LARGE_HASH), 'blob_absent');
    expect(await store.put(LARGE_HASH, LARGE)).toBe('stored');
    expectSameBytes(await store.readAll(LARGE_HASH), LARGE);
  });

  it('finds a missing and a shortened file, and heals both by an upload', async () => {
    const { store, fileOf } = await fixture();
    const damages = [() => rm(fileOf(LARGE_HASH)), () => writeFile(fileOf(LARGE_HASH), LARGE.subarray(0, 100))];
    await store.put(LARGE_HASH, LARGE);
    for (const damage of damages) {
      await damage();
      await expectRefusal(store.read(LARGE_HASH, 0, 1), 'blob_corrupt');
      expect(await store.has(LARGE_HASH)).toBe(false);
      const upload = await store.openUpload(LARGE_HASH, LARGE.length);
      await upload.append(0, LARGE);
      expect(await upload.commit()).toBe('stored');
      expectSameBytes(await store.read(LARGE_HASH, 7, 9), LARGE.subarray(7, 16));
    }
  });

  it('finds a change made after a range was verified, even with its time set back', async () => {
    const { store, fileOf } = await fixture();
    await store.put(LARGE_HASH, LARGE);
    await store.read(LARGE_HASH, 0, 10);
    const { atime, mtime } = await stat(fileOf(LARGE_HASH));
    await flipFileBit(fileOf(LARGE_HASH));
    await utimes(fileOf(LARGE_HASH), atime, mtime);
    await expectRefusal(store.read(LARGE_HASH, LARGE.length - 1, 1), 'blob_corrupt');
  });

  it('lets nobody else read contents, adopted ones included', async () => {
    const { store, fileOf } = await fixture();
    const path = join(await bench.folder(), 'source');
    await writeFile(path, LARGE, { mode: 0o777 });
    await store.adoptFile(LARGE_HASH, LARGE.length, path);
    expect((await stat(fileOf(LARGE_HASH))).mode & 0o7777).toBe(0o600);
  });

  it('says so where it cannot be opened', async () => {
    const folder = join(await bench.folder(), 'store');
    await writeFile(folder, 'not a folder');
    await expectRefusal(HotBlobStore.open({ folder, durability: 'process' }), 'blob_store_unusable');
  });

  it('names the failing disk with its cause and stays usable', async () => {
    const { store, folder } = await fixture();
    await rm(join(folder, 'tmp'), { recursive: true });
    const put = store.put(LARGE_HASH, LARGE);
    await expect(put).rejects.toMatchObject({ code: 'blob_store_failed', cause: { code: 'ENOENT' } });
    await mkdir(join(folder, 'tmp'));
    expect(await store.put(LARGE_HASH, LARGE)).toBe('stored');
  });

  it('heals damaged small and large contents by taking over files, and counts them once', async () => {
    const subject = await fixture();
    const small = bytesOf(100);
    for (const content of [small, LARGE]) await subject.store.put(blobHashOf(content), content);
    await subject.corrupt!(LARGE_HASH);
    const store = await subject.corrupt!(blobHashOf(small));
    const files = [small, LARGE].map((content) => ({ hash: blobHashOf(content), size: content.length }));
    for (const { hash } of files) await expectRefusal(store.readAll(hash), 'blob_corrupt');
    const folder = await bench.folder();
    const sources = [small, LARGE].map(async (content, i) => {
      const path = join(folder, `${i}`);
      await writeFile(path, content);
      return { ...files[i]!, path };
    });
    expect(await store.adoptFiles(await Promise.all(sources))).toEqual(['stored', 'stored']);
    for (const { hash, size } of files) expect(await store.readAll(hash)).toHaveLength(size);
    expect(await store.stats()).toEqual({ blobs: 2, bytes: small.length + LARGE.length });
  });

  it('takes over a thousand small files in one transaction', async () => {
    const { store, folder, reopen } = await fixture();
    const sources = await bench.folder();
    const files = await Promise.all(
      Array.from({ length: 1000 }, async (_, i) => {
        const content = bytesOf(100, `${i}`);
        await writeFile(join(sources, `${i}`), content);
        return { hash: blobHashOf(content), size: content.length, path: join(sources, `${i}`) };
      }),
    );
    await store.close();
    const before = await lastTransaction(folder);
    const opened = await reopen();
    await opened.adoptFiles(files.slice(0, 1));
    await opened.close();
    const one = await lastTransaction(folder);
    await (await reopen()).adoptFiles(files.slice(1));
    await (await reopen()).close();
    expect((await lastTransaction(folder)) - one).toBe(one - before);
  });

  it('gives others their turn while it takes over many files', async () => {
    const { store } = await fixture();
    const folder = await bench.folder();
    const files = await Promise.all(
      Array.from({ length: 400 }, async (_, i) => {
        const content = bytesOf(50_000, `${i}`);
        await writeFile(join(folder, `${i}`), content);
        return { hash: blobHashOf(content), size: content.length, path: join(folder, `${i}`) };
      }),
    );
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await store.adoptFiles(files);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(2);
  });

  it('tells how much room its disk has', async () => {
    const { store, folder } = await fixture();
    const { place, disk } = await store.check();
    expect(place).toBe(folder);
    expect(disk!.free).toBeGreaterThan(0);
    expect(disk!.total).toBeGreaterThanOrEqual(disk!.free);
  });

  it('notices that its index is not in its place any more, and that nothing can be written', async () => {
    const { store, folder } = await fixture();
    await rm(join(folder, 'index.mdb'));
    await rm(join(folder, 'tmp'), { recursive: true });
    expect(await store.check()).toMatchObject({ index: 'gone', probe: { problem: expect.stringContaining('ENOENT') } });
  });
});
