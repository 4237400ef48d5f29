import { type ErrorCode, errorCodeOf, type PathState } from '@retrace/contracts';
import { isFsError, type FsCode } from '@retrace/workspace-fs';

/** A path that somebody else changed in the middle; `kept`: the name in staging of what had no way back. */
export interface Attention {
  readonly path: string;
  readonly found: PathState;
  readonly kept: string | null;
}

/** Why a logical operation is not applied. Nothing of it is on the disk. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** Place of the operation that failed, from 0. */
  readonly failedAt: number | null;
  readonly path: string | null;
  readonly expected: PathState | null;
  readonly found: PathState | null;
  readonly needsAttention: readonly Attention[];
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

/** Adds the paths that people must look at; with any the code says so. */
export function attended(refused: Refusal, found: readonly Attention[]): Refusal {
  const needsAttention = [...refused.needsAttention, ...found];
  if (found.length === 0) return refused;
  const paths = needsAttention.map(({ path }) => path).join(', ');
  const message = `${refused.message}; somebody changed ${paths} in the middle of it: look at them`;
  return { ...refused, code: 'needs_attention', message, needsAttention };
}

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

/** Content that is gone, or is not what was announced, stays so: no retry helps. */
const LOST: ReadonlySet<ErrorCode> = new Set([
  'blob_absent',
  'blob_corrupt',
  'blob_mismatch',
  'blob_too_large',
  'blob_range_invalid',
]);

/** What the file system said, as a refusal; other errors are not its own and go on. */
export function refusalOf(error: unknown, failedAt: number, path: string): Refusal {
  if (error instanceof Refused) return { ...error.why, failedAt, path: error.why.path ?? path };
  const code = errorCodeOf(error);
  if (LOST.has(code)) return refusal(code, (error as Error).message, { failedAt, path });
  if (!isFsError(error)) throw error;
  return refusal(CODES[error.code], error.message, { failedAt, path });
}
