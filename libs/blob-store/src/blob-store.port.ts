import type { BlobHash } from '@retrace/contracts';
import type { BlobError } from './blob-errors.js';

/** `present`: the same bytes were there already, and nothing was written. */
export type PutOutcome = 'stored' | 'present';

export interface BlobStats {
  readonly blobs: number;
  /** Sum of the contents' sizes, without the store's own overhead. */
  readonly bytes: number;
}

/** A regular file on this host, as whoever looked at it found it. */
export interface SourceFile {
  readonly hash: BlobHash;
  readonly size: number;
  readonly path: string;
}

/** What a look at the store found. */
export interface StoreHealth {
  /** Where it keeps contents, for people. */
  readonly place: string;
  /** Bytes of the disk, and those of them that this process may still fill; undefined where there is no disk. */
  readonly disk: { readonly total: number; readonly free: number } | undefined;
  /** Whether the index that is open is the one that the next start would open. */
  readonly index: 'present' | 'gone';
  /** Bytes that were written, read back and removed again; or why that failed. */
  readonly probe: { readonly bytes: number } | { readonly problem: string };
}

export interface BlobStoreLimits {
  /** Largest content accepted, in bytes. */
  readonly maxBlobBytes: number;
  /** Open uploads kept; opening one more ends the one that was idle for longest. */
  readonly maxUploads: number;
}

export const DEFAULT_BLOB_STORE_LIMITS: BlobStoreLimits = { maxBlobBytes: 1024 ** 3, maxUploads: 64 };

/**
 * One content on its way in, chunk by chunk. It can be resumed as long as the process lives and it was not evicted.
 *
 * Calls may overlap; they take effect in the order made.
 */
export interface BlobUpload {
  readonly hash: BlobHash;
  /** Announced size in bytes. */
  readonly size: number;
  /** Bytes taken so far: the offset to resume from. */
  readonly received: number;
  /**
   * Takes a chunk and answers how many bytes have arrived. The chunk is copied before the call returns its promise.
   *
   * Bytes below `received` are taken for a repetition and skipped. Throws BlobUploadGap, BlobMismatch (beyond the
   * announced size), BlobUploadGone.
   */
  append(offset: number, chunk: Uint8Array): Promise<number>;
  /**
   * Verifies size and sha256 and makes the blob visible at once. Asked again, it answers the same.
   *
   * Throws BlobIncomplete (the upload stays open), BlobMismatch (nothing stored, the upload ends), BlobUploadGone.
   */
  commit(): Promise<PutOutcome>;
  /** Drops what arrived. Does nothing after a commit or a former abort. */
  abort(): Promise<void>;
}

/**
 * Immutable contents by sha256. Bytes handed out always match their hash.
 *
 * After `close`, every method rejects with BlobStoreClosed; errors of disk or database come as BlobStoreFailed.
 * A blob that was found damaged counts as absent for `has` and `size`, and the next put of it replaces it.
 */
export interface BlobStore {
  has(hash: BlobHash): Promise<boolean>;
  /**
   * Stores content; resolved means that it survives what the store's durability names.
   *
   * The content must stay as it is until then. Throws BlobMismatch (also where it did not), BlobTooLarge.
   */
  put(hash: BlobHash, content: Uint8Array): Promise<PutOutcome>;
  /** Begins an upload of `size` bytes. Throws BlobTooLarge, BlobUploadsBusy. */
  openUpload(hash: BlobHash, size: number): Promise<BlobUpload>;
  /**
   * Takes over the bytes of a regular file on this host; the source is left alone.
   *
   * Throws BlobSourceInvalid, BlobMismatch (by size or by the hash of what was read), BlobTooLarge.
   */
  adoptFile(hash: BlobHash, size: number, path: string): Promise<PutOutcome>;
  /**
   * Takes over many files; outcomes in their order. One that cannot be taken over (BlobSourceInvalid, BlobMismatch,
   * BlobTooLarge) is told in its place and stops no other. Small contents are committed together, so memory stays
   * bounded by a few MiB; large ones are streamed. Rejects where the store itself fails: some may then be stored.
   */
  adoptFiles(files: readonly SourceFile[]): Promise<(PutOutcome | BlobError)[]>;
  /** Answers the size in bytes, undefined for an absent blob. */
  size(hash: BlobHash): Promise<number | undefined>;
  /** Reads up to `length` bytes; fewer at the end, none beyond it. Throws BlobAbsent, BlobCorrupt, BlobRangeInvalid. */
  read(hash: BlobHash, offset: number, length: number): Promise<Uint8Array>;
  /** Reads the whole content, verified anew each time. Throws BlobAbsent, BlobCorrupt. */
  readAll(hash: BlobHash): Promise<Uint8Array>;
  stats(): Promise<BlobStats>;
  /** Looks at disk and index, and writes and reads back a probe that leaves nothing behind. */
  check(): Promise<StoreHealth>;
  /** Waits for what is running, ends open uploads, releases the store. */
  close(): Promise<void>;
}
