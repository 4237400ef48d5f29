import { isFsError } from '@retrace/workspace-fs';

/** Something at a path that cannot be stored: its first change captures it. */
export interface Skipped {
  readonly path: string;
  readonly why: string;
}

/** Why one object cannot be stored; anything else that went wrong is not its fault, and thrown on. */
export function reasonOf(error: unknown): string {
  // This process has too many files open: no object's fault.
  if (!isFsError(error) || error.code === 'too_many_files') throw error;
  return error.code === 'not_permitted' ? 'this account may not read it' : error.message;
}
