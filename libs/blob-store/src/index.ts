export { type Durability } from './adapters/lmdb-files/durability.js';
export { HotBlobStore, type HotBlobStoreOptions } from './adapters/lmdb-files/hot-blob-store.js';
export { MemoryBlobStore, type MemoryBlobStoreOptions } from './adapters/memory/memory-blob-store.js';
export {
  BlobAbsent,
  BlobCorrupt,
  BlobError,
  type BlobErrorCode,
  BlobIncomplete,
  BlobMismatch,
  BlobRangeInvalid,
  BlobSourceInvalid,
  BlobStoreClosed,
  BlobStoreFailed,
  BlobStoreUnusable,
  BlobTooLarge,
  BlobUploadGap,
  BlobUploadGone,
  BlobUploadsBusy,
} from './blob-errors.js';
export {
  type BlobStats,
  type BlobStore,
  type BlobStoreLimits,
  type BlobUpload,
  DEFAULT_BLOB_STORE_LIMITS,
  type PutOutcome,
  type SourceFile,
  type StoreHealth,
} from './blob-store.port.js';
export { blobHashOf } from './sha256.js';
