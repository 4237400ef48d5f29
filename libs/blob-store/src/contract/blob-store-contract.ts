import { afterEach, describe } from '@jest/globals';
import { adoptContract } from './adopt-contract.js';
import { Bench, type BlobStoreFactory } from './bench.js';
import { putContract } from './put-contract.js';
import { readContract } from './read-contract.js';
import { uploadContract } from './upload-contract.js';

/** Declares the specs that every adapter of BlobStore must pass. */
export function blobStoreContract(name: string, factory: BlobStoreFactory): void {
  describe(`${name} keeps the blob store contract`, () => {
    const bench = new Bench(factory);
    afterEach(() => bench.clear());
    putContract(bench);
    uploadContract(bench);
    readContract(bench);
    adoptContract(bench);
  });
}
