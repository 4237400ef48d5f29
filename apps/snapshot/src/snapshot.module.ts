import type { BlobStore } from '@retrace/blob-store';
import { type DynamicModule, Module } from '@nestjs/common';
import { BLOB_STORE, BlobHandlers } from './handlers/blob.handlers.js';
import { SeenContents } from './seen/seen-contents.js';
import { SeenHandlers } from './seen/seen.handlers.js';
import { UploadDesk } from './uploads/upload-desk.js';
import { UploadLedger } from './uploads/upload-ledger.js';

export interface SnapshotParts {
  readonly store: BlobStore;
  readonly ledger: UploadLedger;
  readonly seen: SeenContents;
}

@Module({})
export class SnapshotModule {
  static register({ store, ledger, seen }: SnapshotParts): DynamicModule {
    return {
      module: SnapshotModule,
      controllers: [BlobHandlers, SeenHandlers],
      providers: [
        { provide: BLOB_STORE, useValue: store },
        { provide: UploadLedger, useValue: ledger },
        { provide: SeenContents, useValue: seen },
        { provide: UploadDesk, useValue: new UploadDesk(store, ledger) },
      ],
    };
  }
}
