import { HotBlobStore } from '@retrace/blob-store';
import type { ServiceDefinition } from '@retrace/messaging';
import { SnapshotModule } from './snapshot.module.js';
import { UploadLedger } from './uploads/upload-ledger.js';

/** Keeps content by hash: the hot tier, on the workspaces' host. */
export const snapshotService: ServiceDefinition = {
  name: 'snapshot',
  open: async ({ dataDir, durability }) => {
    const store = await HotBlobStore.open({ folder: `${dataDir}/blobs`, durability });
    const ledger = UploadLedger.open(dataDir, durability);
    return {
      module: SnapshotModule.register({ store, ledger }),
      close: async () => {
        await ledger.close();
        await store.close();
      },
    };
  },
};
