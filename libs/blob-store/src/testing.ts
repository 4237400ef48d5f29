export { type BlobStoreFactory, type BlobStoreUnderTest } from './contract/bench.js';
export { blobStoreContract } from './contract/blob-store-contract.js';
