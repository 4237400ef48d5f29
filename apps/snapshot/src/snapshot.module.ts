import type { BlobStore } from '@retrace/blob-store';
import { type DynamicModule, Module } from '@nestjs/common';
import { BLOB_STORE, BlobHandlers } from './handlers/blob.handlers.js';
import { BlobReaders } from './reading/blob-readers.js';
import type { ReadRules } from './reading/read-rules.js';
import { SeenContents } from './seen/seen-contents.js';
import { SeenHandlers } from './seen/seen.handlers.js';
import { UploadDesk } from './uploads/upload-desk.js';
import { UploadLedger } from './uploads/upload-ledger.js';

export interface SnapshotParts {
  readonly store: BlobStore;
  readonly ledger: UploadLedger;
  readonly seen: SeenContents;
  readonly rules: ReadRules;
}

@Module({})
export class SnapshotModule {
  static register({ store, ledger, seen, rules }: SnapshotParts): DynamicModule {
    return {
      module: SnapshotModule,
      controllers: [BlobHandlers, SeenHandlers],
      providers: [
        { provide: BLOB_STORE, useValue: store },
        { provide: UploadLedger, useValue: ledger },
        { provide: SeenContents, useValue: seen },
        { provide: BlobReaders, useValue: new BlobReaders(ledger, seen, rules) },
        { provide: UploadDesk, useValue: new UploadDesk(store, ledger) },
      ],
    };
  }
}
