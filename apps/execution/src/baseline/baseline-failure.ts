import { isFsError } from '@retrace/workspace-fs';

/** Something at a path that cannot be stored: its first change captures it. */
export interface Skipped {
  readonly path: string;
  readonly why: string;
}

const NO_PERMISSION: ReadonlySet<unknown> = new Set(['not_permitted', 'EACCES', 'EPERM']);
/** This process has too many files open: no object's fault. */
const OURS: ReadonlySet<unknown> = new Set(['too_many_files', 'EMFILE', 'ENFILE']);

/** Why one object cannot be stored; anything else that went wrong is not its fault, and thrown on. */
export function reasonOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  if (!(isFsError(error) || isSystemError(error)) || OURS.has(code)) throw error;
  return NO_PERMISSION.has(code) ? 'this account may not read it' : (message ?? String(code));
}

/** What reading by a handle throws. */
const isSystemError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'errno' in error && 'syscall' in error;
