/** Codes of everything the blob store refuses; they survive a process boundary. */
export type BlobErrorCode =
  | 'blob_absent'
  | 'blob_corrupt'
  | 'blob_mismatch'
  | 'blob_too_large'
  | 'blob_incomplete'
  | 'blob_range_invalid'
  | 'blob_source_invalid'
  | 'blob_upload_gap'
  | 'blob_upload_gone'
  | 'blob_uploads_busy'
  | 'blob_store_closed'
  | 'blob_store_failed'
  | 'blob_store_unusable';

/** The root of all errors thrown by a blob store. Compare `code`, not the class, across processes. */
export class BlobError extends Error {
  constructor(
    readonly code: BlobErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
  }
}

export class BlobAbsent extends BlobError {
  constructor(readonly hash: string) {
    super('blob_absent', `Blob ${hash} is not in this store. Upload it, or read it from another tier.`);
  }
}

/** What is kept under a hash is not what was put there. The store answers `has` with false until it is put again. */
export class BlobCorrupt extends BlobError {
  constructor(
    readonly hash: string,
    finding: string,
    cause?: unknown,
  ) {
    super('blob_corrupt', `Blob ${hash} is damaged: ${finding}. Put it again from another tier or a backup.`, cause);
  }
}

export class BlobMismatch extends BlobError {
  constructor(
    readonly hash: string,
    finding: string,
    cause?: unknown,
  ) {
    super('blob_mismatch', `Blob ${hash} was not stored: ${finding}. Hash the content again and send it anew.`, cause);
  }
}

export class BlobTooLarge extends BlobError {
  constructor(
    readonly hash: string,
    size: number,
    limit: number,
  ) {
    const advice = 'Split the content, or raise the limit (maxBlobBytes).';
    super('blob_too_large', `Blob ${hash} has ${size} bytes, more than the ${limit} allowed. ${advice}`);
  }
}

/** A commit came before the last byte. The upload stays open. */
export class BlobIncomplete extends BlobError {
  constructor(
    readonly hash: string,
    readonly received: number,
    size: number,
  ) {
    const advice = `Append from offset ${received}, then commit again.`;
    super('blob_incomplete', `Blob ${hash} was not stored: ${received} of ${size} bytes arrived. ${advice}`);
  }
}

export class BlobRangeInvalid extends BlobError {
  constructor(
    readonly hash: string,
    what: string,
  ) {
    super('blob_range_invalid', `Blob ${hash}: ${what} must be a whole number of bytes, 0 or more. Correct the call.`);
  }
}

export class BlobSourceInvalid extends BlobError {
  constructor(
    readonly hash: string,
    path: string,
    finding: string,
    cause?: unknown,
  ) {
    const advice = 'Pass a readable regular file.';
    super('blob_source_invalid', `Blob ${hash} was not adopted from ${path}: ${finding}. ${advice}`, cause);
  }
}

/** A chunk would leave a hole. The upload stays open. */
export class BlobUploadGap extends BlobError {
  constructor(
    readonly hash: string,
    readonly received: number,
    offset: number,
  ) {
    super('blob_upload_gap', `Blob ${hash}: a chunk at ${offset} leaves a hole. Append from offset ${received}.`);
  }
}

export class BlobUploadGone extends BlobError {
  constructor(readonly hash: string) {
    super('blob_upload_gone', `The upload of blob ${hash} has ended. Open a new one and send it from the start.`);
  }
}

export class BlobUploadsBusy extends BlobError {
  constructor(
    readonly hash: string,
    limit: number,
  ) {
    super('blob_uploads_busy', `No room to upload blob ${hash}: all ${limit} uploads are in use. Try again shortly.`);
  }
}

export class BlobStoreClosed extends BlobError {
  constructor(hash: string) {
    super('blob_store_closed', `The blob store is closed; nothing was done for ${hash}. Open it again.`);
  }
}

/** The disk or the database refused; `cause` has the system's error. */
export class BlobStoreFailed extends BlobError {
  constructor(hash: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super('blob_store_failed', `The blob store failed at ${hash}: ${reason}. Check its disk, then try again.`, cause);
  }
}

export class BlobStoreUnusable extends BlobError {
  constructor(folder: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = 'Check its permissions and disk, or restore it from the cold tier.';
    super('blob_store_unusable', `The blob store in ${folder} cannot be opened: ${reason}. ${advice}`, cause);
  }
}
