import type { BlobStore } from '@retrace/blob-store';
import { type DynamicModule, Module } from '@nestjs/common';
import { BLOB_STORE, BlobHandlers } from './handlers/blob.handlers.js';
import { UploadDesk } from './uploads/upload-desk.js';
import { UploadLedger } from './uploads/upload-ledger.js';

export interface SnapshotParts {
  readonly store: BlobStore;
  readonly ledger: UploadLedger;
}

@Module({})
export class SnapshotModule {
  static register({ store, ledger }: SnapshotParts): DynamicModule {
    return {
      module: SnapshotModule,
      controllers: [BlobHandlers],
      providers: [
        { provide: BLOB_STORE, useValue: store },
        { provide: UploadLedger, useValue: ledger },
        { provide: UploadDesk, useValue: new UploadDesk(store, ledger) },
      ],
    };
  }
}
