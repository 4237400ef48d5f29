import { type ErrorCode, errorCodeOf, type PathState } from '@retrace/contracts';
import { isFsError, type FsCode } from '@retrace/workspace-fs';

/** Why a logical operation is not applied. Nothing of it is on the disk. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** Place of the operation that failed, from 0. */
  readonly failedAt: number | null;
  readonly path: string | null;
  readonly expected: PathState | null;
  readonly found: PathState | null;
  readonly needsAttention: readonly { path: string; found: PathState; kept: string | null }[];
}

export const refusal = (
  code: ErrorCode,
  message: string,
  at: { failedAt?: number; path?: string; expected?: PathState; found?: PathState } = {},
): Refusal => ({
  code,
  message,
  failedAt: at.failedAt ?? null,
  path: at.path ?? null,
  expected: at.expected ?? null,
  found: at.found ?? null,
  needsAttention: [],
});

/** Thrown while planning: the plan ends here. */
export class Refused extends Error {
  constructor(readonly why: Refusal) {
    super(why.message);
    this.name = 'Refused';
  }
}

/** Thrown while planning: policy is to decide again, knowing this. */
export class Stale extends Error {
  constructor(
    readonly path: string,
    readonly why: 'assumed_absent' | 'link' | 'moved',
  ) {
    super(`${path}: ${why}`);
    this.name = 'Stale';
  }
}

const CODES: Record<FsCode, ErrorCode> = {
  outside_root: 'outside_root',
  link_refused: 'link_refused',
  absent: 'absent',
  exists: 'exists',
  not_a_folder: 'not_a_folder',
  is_a_folder: 'not_a_file',
  not_empty: 'not_empty',
  not_permitted: 'not_permitted',
  no_space: 'no_space',
  busy: 'writer_active',
  unsupported: 'io',
  invalid_name: 'path_not_unicode',
  name_too_long: 'name_too_long',
  other_device: 'io',
  too_many_files: 'io',
  content_mismatch: 'blob_corrupt',
  io: 'io',
};

/** What the file system said, as a refusal; other errors are not its own and go on. */
export function refusalOf(error: unknown, failedAt: number, path: string): Refusal {
  if (error instanceof Refused) return { ...error.why, failedAt, path: error.why.path ?? path };
  const code = errorCodeOf(error);
  // Content that is gone stays gone: no retry helps.
  if (code === 'blob_absent' || code === 'blob_corrupt')
    return refusal(code, (error as Error).message, { failedAt, path });
  if (!isFsError(error)) throw error;
  return refusal(CODES[error.code], error.message, { failedAt, path });
}
