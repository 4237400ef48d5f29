import { mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open as openLmdb } from 'lmdb';
import type { BlobStore } from '../../blob-store.port.js';
import type { BlobStoreUnderTest } from '../../contract/bench.js';
import { HotBlobStore, type HotBlobStoreOptions } from './hot-blob-store.js';

/** Opens a store in a folder of its own, for specs. */
export async function hotStoreFixture(
  options: Omit<HotBlobStoreOptions, 'folder'>,
): Promise<BlobStoreUnderTest & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'hot-blob-store-'));
  const opened: HotBlobStore[] = [];
  const open = async (): Promise<BlobStore> => {
    await opened.at(-1)?.close();
    const store = await HotBlobStore.open({ ...options, folder });
    opened.push(store);
    return store;
  };
  const store = await open();
  const corrupt = async (hash: string): Promise<BlobStore> => {
    if (await flipFileBit(join(folder, 'files', hash.slice(0, 2), hash.slice(2)))) return opened.at(-1) ?? store;
    await opened.at(-1)?.close();
    await flipDatabaseBit(join(folder, 'index.mdb'), hash);
    return open();
  };
  const dispose = async (): Promise<void> => {
    await opened.at(-1)?.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, store, reopen: open, corrupt, dispose };
}

/** Flips one bit in place, as a failing disk would. Answers false where there is no such file. */
export async function flipFileBit(path: string): Promise<boolean> {
  const handle = await openFile(path, 'r+').catch(() => undefined);
  if (!handle) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, 0);
  await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, 0);
  await handle.close();
  return true;
}

async function flipDatabaseBit(path: string, hash: string): Promise<void> {
  const root = openLmdb<number, string>({ path, noSubdir: true, maxDbs: 4, noSync: true });
  const contents = root.openDB<Uint8Array, string>({ name: 'contents', encoding: 'binary' });
  const bytes = new Uint8Array(contents.get(hash) ?? []);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  await contents.put(hash, bytes);
  await root.close();
}
