import os from 'node:os';

export type FsCode =
  | 'outside_root'
  | 'link_refused'
  | 'absent'
  | 'exists'
  | 'not_a_folder'
  | 'is_a_folder'
  | 'not_empty'
  | 'not_permitted'
  | 'no_space'
  | 'busy'
  | 'unsupported'
  | 'invalid_name'
  | 'name_too_long'
  | 'other_device'
  | 'too_many_files'
  | 'content_mismatch'
  | 'io';

export const ERRNO = os.constants.errno;
/** `os.constants` types it as an interface without an index. */
const ERRNO_BY_NAME: Readonly<Record<string, number>> = { ...ERRNO };

const CODE_BY_NAME: Readonly<Record<string, FsCode>> = {
  ELOOP: 'link_refused',
  ENOENT: 'absent',
  EEXIST: 'exists',
  ENOTDIR: 'not_a_folder',
  EISDIR: 'is_a_folder',
  ENOTEMPTY: 'not_empty',
  EACCES: 'not_permitted',
  EPERM: 'not_permitted',
  EROFS: 'not_permitted',
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  EAGAIN: 'busy',
  EBUSY: 'busy',
  ETXTBSY: 'busy',
  ENOSYS: 'unsupported',
  EINVAL: 'unsupported',
  EOPNOTSUPP: 'unsupported',
  ENAMETOOLONG: 'name_too_long',
  EXDEV: 'other_device',
  EMFILE: 'too_many_files',
  ENFILE: 'too_many_files',
};

const HINTS: Record<FsCode, string> = {
  outside_root: 'the path leaves the workspace; name it from the root, without ".."',
  link_refused: 'a symbolic link lies on the way; name the path that it points to',
  absent: 'it or a folder on the way does not exist; create the folder first',
  exists: 'something is there already; nothing was overwritten',
  not_a_folder: 'a name on the way is not a folder',
  is_a_folder: 'a folder is there',
  not_empty: 'the folder is not empty; remove its entries first',
  not_permitted: 'the operating system does not permit it; check owner, mode and mount',
  no_space: 'the disk or quota is full; free space and try again',
  busy: 'somebody else is using it; try again',
  unsupported: 'the file system or object does not support it; see the probe',
  invalid_name: 'the name is empty, not UTF-8, or holds NUL or "/"',
  name_too_long: 'a name has at most 255 bytes',
  other_device: 'it lies on another file system than the control folder',
  too_many_files: 'too many open files; raise the limit',
  content_mismatch: 'the content is not the one that was announced by hash and size; send it again',
  io: 'the operating system failed',
};

const BY_NUMBER = new Map(Object.entries(CODE_BY_NAME).map(([name, code]) => [ERRNO_BY_NAME[name], code]));
const NAME_BY_NUMBER = new Map(Object.entries(ERRNO_BY_NAME).map(([name, number]) => [number, name]));

const describe = (code: FsCode, call: string, errno: number, subject: string | undefined): string => {
  const what = subject === undefined ? call : `${call} ${JSON.stringify(subject)}`;
  const cause = errno === 0 ? code : `${code} (${NAME_BY_NUMBER.get(errno) ?? errno})`;
  return `${what}: ${cause}: ${HINTS[code]}`;
};

/** A file system call that failed or was refused; `errno` is 0 when no system call was made. */
export class SafeFsError extends Error {
  constructor(
    readonly code: FsCode,
    readonly call: string,
    readonly errno = 0,
    readonly subject?: string,
  ) {
    super(describe(code, call, errno, subject));
    this.name = 'SafeFsError';
  }
}

export const errnoError = (call: string, errno: number, subject?: string): SafeFsError =>
  new SafeFsError(BY_NUMBER.get(errno) ?? 'io', call, errno, subject);

/** Answers whether `error` is a SafeFsError with one of these codes (any code when none is named). */
export const isFsError = (error: unknown, ...codes: FsCode[]): error is SafeFsError =>
  error instanceof SafeFsError && (codes.length === 0 || codes.includes(error.code));

/** Runs a call of `node:fs` so that its errors speak the same codes. */
export function viaNode<T>(call: string, subject: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    // Not `instanceof Error`: Node's errors are another realm's where this runs in a context of its own, as under jest.
    const errno = Number((error as Partial<NodeJS.ErrnoException> | null | undefined)?.errno);
    if (Number.isNaN(errno)) throw error;
    throw errnoError(call, Math.abs(errno), subject);
  }
}
