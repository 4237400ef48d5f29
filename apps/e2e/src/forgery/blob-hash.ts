import { createHash } from 'node:crypto';
import { type BlobHash, BlobHashSchema } from '@retrace/contracts';

export const blobHash = (text: string): BlobHash =>
  BlobHashSchema.parse(createHash('sha256').update(text).digest('hex'));
