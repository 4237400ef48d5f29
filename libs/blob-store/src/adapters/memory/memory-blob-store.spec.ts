import type { BlobStoreLimits } from '../../blob-store.port.js';
import { blobStoreContract } from '../../contract/blob-store-contract.js';
import { MemoryBlobStore } from './memory-blob-store.js';

async function memoryStore(limits?: Partial<BlobStoreLimits>) {
  const contents = new Map<string, Uint8Array>();
  const open = () => new MemoryBlobStore({ ...limits, contents });
  const store = open();
  return {
    store,
    reopen: async () => {
      await store.close();
      return open();
    },
    corrupt: async (hash: string) => {
      const content = contents.get(hash) ?? new Uint8Array();
      contents.set(
        hash,
        content.map((byte, index) => (index === content.length - 1 ? byte ^ 1 : byte)),
      );
      return store;
    },
    dispose: () => store.close(),
  };
}

blobStoreContract('MemoryBlobStore', memoryStore);
