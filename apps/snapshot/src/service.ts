import { HotBlobStore } from '@retrace/blob-store';
import type { ServiceDefinition } from '@retrace/messaging';
import { PolicyReadRules } from './reading/policy-read-rules.js';
import { SeenContents } from './seen/seen-contents.js';
import { seenLanes } from './seen/seen-lanes.js';
import { SnapshotModule } from './snapshot.module.js';
import { UploadLedger } from './uploads/upload-ledger.js';

/** Keeps content by hash: the hot tier, on the workspaces' host. */
export const snapshotService: ServiceDefinition = {
  name: 'snapshot',
  open: async (context) => {
    const { dataDir, durability } = context;
    const store = await HotBlobStore.open({ folder: `${dataDir}/blobs`, durability });
    const ledger = UploadLedger.open(dataDir, durability);
    const seen = SeenContents.open(dataDir, durability);
    return {
      module: SnapshotModule.register({ store, ledger, seen, rules: new PolicyReadRules(context.calls) }),
      log: seenLanes(context, seen),
      close: async () => {
        await seen.close();
        await ledger.close();
        await store.close();
      },
    };
  },
};
